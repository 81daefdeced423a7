import Foundation
import Testing

/// Comments that send a reader to a document of the repository send them to a place that exists.
@Suite("Citations") struct CitationTests {
    private static let documents = Dictionary(
        uniqueKeysWithValues: Repository.files.filter { $0.path.hasSuffix(".md") }.map { ($0.path, MarkdownFile($0)) })

    /// The numbers of the headings of docs/choices.md.
    private static func choices() throws -> Set<Int> {
        Set(
            try Repository.file("docs/choices.md").lines.compactMap { line in
                line.firstMatch(of: #/^[#]+ (\d+)[.] /#).flatMap { Int($0.output.1) }
            })
    }

    @Test("a document that a comment cites exists, and has the heading")
    func headings() {
        expectNone(
            Self.citing.flatMap { file in
                file.numbered.filter { $0.line.holds("docs/") }.flatMap { number, line in
                    line.matches(of: /\b(docs\/[A-Za-z0-9\/-]+\.md)(?:#([a-z0-9-]+))?/).compactMap { match in
                        let path = String(match.output.1)
                        guard let document = Self.documents[path] else {
                            return Violation(path: file.path, line: number, remedy: "cites \(path), which is not there")
                        }
                        guard let anchor = match.output.2, !document.anchors.contains(String(anchor)) else {
                            return nil
                        }
                        return Violation(
                            path: file.path, line: number, remedy: "cites \(path)#\(anchor), which is no heading of it")
                    }
                }
            })
    }

    @Test("a choice that a comment cites has its number in docs/choices.md")
    func choices() throws {
        let known = try Self.choices()
        try #require(!known.isEmpty)
        expectNone(
            Self.citing.flatMap { file in
                file.numbered.filter { $0.line.holds("choices.md, ") }.flatMap { number, line in
                    line.matches(of: /choices\.md, (\d+)(?:(?:, | and )(\d+))?/).flatMap { match in
                        [match.output.1, match.output.2].compactMap { $0.flatMap { Int($0) } }
                            .filter { !known.contains($0) }
                            .map {
                                Violation(
                                    path: file.path, line: number,
                                    remedy: "cites choice \($0), which is not in docs/choices.md")
                            }
                    }
                }
            })
    }

    @Test("a decision that a comment cites by its number is in docs/decisions")
    func decisions() {
        let known = Set(
            Repository.files.compactMap { file in
                file.path.firstMatch(of: /^docs\/decisions\/(\d{4})-/).map { String($0.output.1) }
            })
        expectNone(
            Self.citing.flatMap { file in
                file.numbered.filter { $0.line.holds("(00") }.flatMap { number, line in
                    line.matches(of: /\((00\d\d)\)/).map { String($0.output.1) }.filter { !known.contains($0) }.map {
                        Violation(
                            path: file.path, line: number,
                            remedy: "cites decision \($0), which is not in docs/decisions")
                    }
                }
            })
    }

    private static let citing = Repository.files.filter { file in
        !file.isGenerated && !file.path.hasPrefix("Tests/RepositoryTests/")
            && (file.path.hasSuffix(".swift") || file.path.hasSuffix(".md") || file.path.hasSuffix(".py")
                || file.path.hasSuffix(".proto") || file.path.hasPrefix("scripts/"))
    }
}
