//! One program for both threads of the page: see [`queryscope_web::run`].

fn main() {
    queryscope_web::run();
}
