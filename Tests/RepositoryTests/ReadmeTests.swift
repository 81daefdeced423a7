import Testing

@Suite("README") struct ReadmeTests {
    @Test("the app of the README is the one that a test runs")
    func app() throws {
        let text = try Repository.file("README.md").text
        let app = try #require(text.firstMatch(of: /```swift\n((?:.|\n)*?)```/)).output.1
        let source = try Repository.file("Tests/Clients/CloudKitTests/ReadmeTests.swift").text
        let lines = app.split(separator: "\n")
        #expect(lines.count >= 12)
        for line in lines where !source.contains(line) {
            expectNone([
                Violation(
                    path: "README.md", remedy: "`\(line)` is not in Tests/Clients/CloudKitTests/ReadmeTests.swift")
            ])
        }
    }

    @Test("the features are eight short rows")
    func features() throws {
        let rows = MarkdownFile(try Repository.file("README.md")).rows.filter {
            $0.cells.count > 1 && !$0.cells[0].isEmpty
        }
        .filter { !$0.cells[0].hasPrefix("---") }
        #expect(rows.count == 8)
    }
}
