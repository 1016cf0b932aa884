//! The program that runs in the worker: see [`queryscope_web::engine`].

fn main() {
    queryscope_web::engine();
}
