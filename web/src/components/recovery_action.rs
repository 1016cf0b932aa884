//! A way on after a failure, as a button.

use yew::prelude::*;

use super::PanelProps;
use crate::client::RecoveryAction;
use crate::state::{Action, Dialog, Notice};
use crate::words;

impl PanelProps {
    /// The button for the action that a notice suggests; empty if it suggests none.
    pub fn recovery_button(&self, notice: &Notice) -> Html {
        let panel = self.clone();
        let (label, action): (_, Callback<MouseEvent>) = match notice.recovery {
            None => return Html::default(),
            Some(RecoveryAction::Part) => (words::common::LOAD_SUBSET, self.instead(Dialog::Part)),
            Some(RecoveryAction::Report) => (words::common::IMPORT_REPORT, self.instead(Dialog::Report)),
            Some(RecoveryAction::Again) => {
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
