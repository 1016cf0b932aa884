//! [`Driver`]: runs a future in a thread that cannot wait: as far as it goes, and on when what it waits for is there.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, Waker};

use tokio::runtime::{Builder, Runtime};

/// A runtime for one future at a time and the tasks that it spawns.
pub struct Driver {
    runtime: Runtime,
    idle: Arc<IdleSignal>,
}

/// Whether nothing is left to run, and the waker of the future.
#[derive(Default)]
struct IdleSignal(Mutex<(bool, Option<Waker>)>);

impl IdleSignal {
    /// Says that the runtime would now wait.
    fn raise(&self) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.0 = true;
        if let Some(waker) = state.1.take() {
            waker.wake();
        }
    }

    fn is_raised(&self) -> bool {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner).0)
    }

    fn listen(&self, waker: &Waker) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1 = Some(waker.clone());
    }
}

impl Driver {
    /// # Errors
    /// Only if the runtime cannot be made.
    pub fn new() -> io::Result<Self> {
        let idle = Arc::new(IdleSignal::default());
        let parking = idle.clone();
        let runtime = Builder::new_current_thread().on_thread_park(move || parking.raise()).build()?;
        Ok(Self { runtime, idle })
    }

    /// Runs a future and its tasks until it is done, or all of them wait for something that happens outside of this thread's code.
    /// Then this returns `None`, and has to be called again when that has happened.
    pub fn advance<T>(&self, future: &mut Pin<Box<dyn Future<Output = T>>>) -> Option<T> {
        self.runtime.block_on(poll_fn(|context| {
            if self.idle.is_raised() {
                return Poll::Ready(None);
            }
            self.idle.listen(context.waker());
            future.as_mut().poll(context).map(Some)
        }))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// A future that ends when a message is there; nothing wakes it.
    async fn heard(messages: mpsc::Receiver<u32>) -> u32 {
        poll_fn(|_| messages.try_recv().map_or(Poll::Pending, Poll::Ready)).await
    }

    #[test]
    fn a_future_goes_as_far_as_it_can_and_on_later() {
        let driver = Driver::new().expect("a runtime");
        let (first, second) = (mpsc::channel(), mpsc::channel());
        let mut future: Pin<Box<dyn Future<Output = u32>>> = Box::pin(async move {
            // Tasks run as well, also those that only yield.
            let task = tokio::spawn(async {
                for _ in 0..1_000 {
                    tokio::task::yield_now().await;
                }
                1
            });
            let sum = task.await.expect("no panic") + heard(first.1).await;
            sum + heard(second.1).await
        });
        assert_eq!(driver.advance(&mut future), None);
        assert_eq!(driver.advance(&mut future), None);
        first.0.send(20).expect("heard");
        assert_eq!(driver.advance(&mut future), None);
        second.0.send(300).expect("heard");
        assert_eq!(driver.advance(&mut future), Some(321));
        let mut next: Pin<Box<dyn Future<Output = u32>>> = Box::pin(async { 4 });
        assert_eq!(driver.advance(&mut next), Some(4), "nothing is left of the last future");
    }
}
