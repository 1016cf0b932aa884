//! How deep the expressions and joins of a statement are. Chains such as `a AND b AND c` are nested as well: each operator holds all
//! before it. Where the stack cannot grow, as in a browser, a deep statement would end the program.

use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::keywords::Keyword;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};

/// Levels of a plan for each join, compared with one for each operator of an expression.
const JOIN: usize = 2;

/// A statement, or a part of it in parentheses.
#[derive(Default)]
struct Part {
    /// Joins and combined queries, in levels.
    joins: usize,
    /// `AND` and `OR` of the current expression.
    conditions: usize,
    /// Other operators since the last `AND` or `OR`.
    operators: usize,
    /// Depth of the deepest parentheses since then.
    nested: usize,
    /// The deepest operand of the current `AND` or `OR`.
    operand: usize,
    /// The deepest expression so far.
    deepest: usize,
    /// Whether commas join tables.
    is_from: bool,
}

impl Part {
    fn end_operand(&mut self) {
        let depth = std::mem::take(&mut self.operators) + std::mem::take(&mut self.nested);
        self.operand = self.operand.max(depth);
    }

    fn end_expression(&mut self) {
        self.end_operand();
        let depth = std::mem::take(&mut self.conditions) + std::mem::take(&mut self.operand);
        self.deepest = self.deepest.max(depth);
    }

    fn depth(mut self) -> usize {
        self.end_expression();
        self.joins + self.deepest
    }

    fn take(&mut self, token: &Token) {
        match token {
            Token::Word(word) => self.take_keyword(word.keyword),
            Token::Comma if self.is_from => self.joins += JOIN,
            Token::Comma => self.end_expression(),
            Token::Plus | Token::Minus | Token::Mul | Token::Div | Token::Mod | Token::StringConcat => {
                self.operators += 1;
            }
            Token::DoubleColon | Token::LBracket => self.operators += 1,
            _ => {}
        }
    }

    fn take_keyword(&mut self, keyword: Keyword) {
        match keyword {
            Keyword::AND | Keyword::OR => {
                self.end_operand();
                self.conditions += 1;
            }
            Keyword::NOT | Keyword::IS | Keyword::LIKE | Keyword::BETWEEN | Keyword::CASE => {
                self.operators += 1;
            }
            Keyword::JOIN | Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT => {
                self.end_expression();
                self.joins += JOIN;
            }
            Keyword::FROM => {
                self.end_expression();
                self.is_from = true;
            }
            Keyword::SELECT | Keyword::WHERE | Keyword::GROUP | Keyword::HAVING | Keyword::ORDER => {
                self.end_expression();
                self.is_from = false;
            }
            Keyword::ON | Keyword::WHEN | Keyword::THEN | Keyword::ELSE => self.end_expression(),
            _ => {}
        }
    }
}

/// Number of levels of a statement; 0 if it has none or cannot be read.
pub fn depth(sql: &str) -> usize {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize().unwrap_or_default();
    let mut open = vec![Part::default()];
    for token in &tokens {
        match token {
            Token::LParen => open.push(Part::default()),
            Token::RParen if open.len() > 1 => close(&mut open),
            token => {
                if let Some(part) = open.last_mut() {
                    part.take(token);
                }
            }
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.pop().map_or(0, Part::depth)
}

/// Ends a part in parentheses, which is an operand of the part around it.
fn close(open: &mut Vec<Part>) {
    let depth = open.pop().map_or(0, Part::depth);
    if let Some(around) = open.last_mut() {
        around.nested = around.nested.max(depth + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::depth;

    #[test]
    fn chains_and_parentheses_are_levels() {
        let sum = format!("SELECT {}1", "1+".repeat(9_000));
        let list = format!("SELECT * FROM spans WHERE span_id IN ({}1)", "1, ".repeat(5_000));
        let cases = format!("SELECT CASE {} END", "WHEN a = 1 AND b = 2 THEN 3 ".repeat(500));
        for (sql, expected) in [
            ("", 0),
            ("SELECT 1", 0),
            ("SELECT a + b, c - d * e FROM t", 2),
            ("SELECT 1 WHERE a = 1 AND b + c = 2 AND d = 3", 3),
            ("SELECT ((a + b) * 2) FROM t", 4),
            ("SELECT 1 FROM a JOIN b ON a.x = b.x AND a.y = b.y JOIN c ON c.x = b.x", 5),
            ("SELECT 1 FROM a, b, c WHERE true", 4),
            ("SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3", 4),
            ("SELECT 'a + b + c' -- + d\n + e", 1),
            ("SELECT 'a", 0),
            (&sum, 9_000),
            (&list, 1),
            (&cases, 1),
        ] {
            assert_eq!(depth(sql), expected, "{sql:.60}");
        }
    }
}
