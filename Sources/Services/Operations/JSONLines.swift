import Compression

/// The lines of a file, gzip understood, without loading more of it than a piece.
package struct JSONLines: Sequence {
    private let path: String

    /// The lines of a file.
    package init(path: String) { self.path = path }

    package func makeIterator() -> Iterator { Iterator(path: path) }
}
