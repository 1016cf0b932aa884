//! Buttons for the recovery actions that an error notice suggests.

use yew::prelude::*;

use super::PanelProps;
use crate::client::RecoveryAction;
use crate::state::{Action, Dialog, Notice};
use crate::words;

impl PanelProps {
    /// Returns the button for the action that a notice suggests. Empty if the notice suggests no action.
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

    /// Returns a click handler that closes the notice and opens a dialog.
    fn instead(&self, dialog: Dialog) -> Callback<MouseEvent> {
        let dispatch = self.dispatch.clone();
        Callback::from(move |_| {
            dispatch.dispatch(Action::Notice(None));
            dispatch.dispatch(Action::Dialog(Some(dialog)));
        })
    }
}
