//! The page: see [`queryscope_web::page`].

fn main() {
    queryscope_web::page();
}
