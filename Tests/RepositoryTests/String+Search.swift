import Foundation

extension StringProtocol {
    /// Whether the text is part of this one. By C's search: tests are built without optimisation, where the standard
    /// library's costs seconds over all files.
    func holds(_ text: String) -> Bool { withCString { line in text.withCString { strstr(line, $0) != nil } } }
}
