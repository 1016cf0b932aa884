//! What is reported of arguments that cannot be kept as they are.

use crate::import::contract::ProblemKind;

pub const SHORTENED: ProblemKind = ProblemKind::remark(
    "long argument",
    "Arguments of more than 200 characters are kept as their start; the record shows them whole.",
);
pub const ROUNDED: ProblemKind = ProblemKind::remark(
    "rounded number",
    "Numbers of more than six decimals count as their nearest millionth, those that are too large for that as their nearest whole number; the record shows all digits.",
);
pub const LARGE: ProblemKind = ProblemKind::remark(
    "large number",
    "A number that needs more than 64 bits, counted in millionths where others of its name have decimals; it is in no sum, and the record shows it.",
);
pub const MANY_ARGS: ProblemKind = ProblemKind::remark(
    "many arguments",
    "More arguments than are kept apart (64 of an event, 4,096 sorts in all); the record shows them all.",
);
