//! A way on after a failure, as a button.

use yew::prelude::*;

use super::PanelProps;
use crate::client::Offer;
use crate::state::{Action, Dialog, Notice};
use crate::words;

impl PanelProps {
    /// The button for the action that a notice offers; empty if it offers none.
    pub fn offer(&self, notice: &Notice) -> Html {
        let panel = self.clone();
        let (label, action): (_, Callback<MouseEvent>) = match notice.offer {
            None => return Html::default(),
            Some(Offer::Part) => (words::common::LOAD_SUBSET, self.instead(Dialog::Part)),
            Some(Offer::Report) => (words::common::IMPORT_REPORT, self.instead(Dialog::Report)),
            Some(Offer::Again) => {
                let again = move |_| {
                    panel.dispatch.dispatch(Action::Opening(true, panel.state.load.addresses.clone()));
                    panel.client.again();
                };
                (words::engine::REOPEN, again.into())
            }
        };
        html! { <button type="button" class="btn primary offer" onclick={action}>{ label }</button> }
    }

    /// A dialog instead of the message.
    fn instead(&self, dialog: Dialog) -> Callback<MouseEvent> {
        let dispatch = self.dispatch.clone();
        Callback::from(move |_| {
            dispatch.dispatch(Action::Notice(None));
            dispatch.dispatch(Action::Dialog(Some(dialog)));
        })
    }
}
