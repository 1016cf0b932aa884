//! The engine in its worker: see [`queryscope_web::engine`].

fn main() {
    queryscope_web::engine();
}
