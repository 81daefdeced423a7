import Foundation
import Testing

@Suite("Markdown") struct MarkdownTests {
    private static let documents = Dictionary(
        uniqueKeysWithValues: Repository.files.filter { $0.path.hasSuffix(".md") }.map { ($0.path, MarkdownFile($0)) })

    @Test("links within the repository lead somewhere")
    func links() {
        expectNone(
            Self.documents.sorted { $0.key < $1.key }.flatMap { path, document in
                document.links.compactMap { target, line in
                    Self.problem(of: target, in: path).map { Violation(path: path, line: line, remedy: $0) }
                }
            })
    }

    @Test("docs/README.md leads to each document")
    func index() throws {
        let listed = Set(
            try #require(Self.documents["docs/README.md"]).links.compactMap { target, _ in
                Self.resolve(String(target.prefix { $0 != "#" }), from: "docs/README.md")
            })
        expectNone(
            Self.documents.keys.filter { $0.hasPrefix("docs/") && $0 != "docs/README.md" && !listed.contains($0) }
                .sorted().map { Violation(path: $0, line: 1, remedy: "is not in docs/README.md: list it there") })
    }

    @Test(
        "anchors are made as the forges make them",
        arguments: [
            ("Where to start", "where-to-start"), ("`fanfare dev`: one process", "fanfare-dev-one-process"),
            ("Sizes & limits", "sizes--limits"), ("The [log](log.md)", "the-log"), ("2. A, b_c-d", "2-a-b_c-d"),
        ])
    func slugs(heading: String, slug: String) {
        #expect(MarkdownFile.slug(heading) == slug)
    }

    @Test("code has no links and no headings")
    func code() {
        let file = MarkdownFile(TextFile(path: "", text: "```\n# A\n[b](c)\n```\n`[d](e)` [f](g)\n## A\n## A"))
        #expect(file.links.map(\.target) == ["g"])
        #expect(file.anchors == ["a", "a-1"])
    }

    private static func problem(of target: String, in path: String) -> String? {
        if target.contains(/^[a-zA-Z][a-zA-Z0-9+.-]*:/) { return nil }
        let parts = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0]).removingPercentEncoding ?? String(parts[0])
        var destination = path
        if name.hasPrefix("/") { return "the link \(target) is absolute: make it relative to this file" }
        if !name.isEmpty {
            guard let resolved = resolve(name, from: path) else {
                return "the link \(target) leaves the repository: a clone does not have what is there"
            }
            destination = resolved
            guard Repository.exists(destination) else {
                return "the link \(target) leads to \(destination), which is not there: correct the link"
            }
        }
        guard parts.count == 2, let document = documents[destination] else { return nil }
        if document.anchors.contains(String(parts[1])) { return nil }
        return "\(destination) has no heading #\(parts[1]): correct the link"
    }

    /// A path relative to the root; nil when it is outside.
    private static func resolve(_ name: String, from path: String) -> String? {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in name.split(separator: "/") {
            switch part {
            case ".": continue
            case "..":
                if parts.isEmpty { return nil }
                parts.removeLast()
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}
