//! A way on after a failure, as a button.

use yew::prelude::*;

use super::PanelProps;
use crate::client::Offer;
use crate::state::{Action, Dialog, Notice};

impl PanelProps {
    /// The button that a message offers, if it does.
    pub fn offer(&self, notice: &Notice) -> Html {
        let panel = self.clone();
        let (label, action): (_, Callback<MouseEvent>) = match notice.offer {
            None => return Html::default(),
            Some(Offer::Part) => {
                let show = move |_| {
                    panel.dispatch.dispatch(Action::Notice(None));
                    panel.dispatch.dispatch(Action::Dialog(Some(Dialog::Part)));
                };
                ("Load a part …", show.into())
            }
            Some(Offer::Again) => {
                let again = move |_| {
                    panel.dispatch.dispatch(Action::Opening(true, panel.state.source.clone()));
                    panel.client.again();
                };
                ("Open it again", again.into())
            }
        };
        html! { <button type="button" class="btn primary offer" onclick={action}>{ label }</button> }
    }
}
