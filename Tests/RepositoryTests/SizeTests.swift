import Testing

@Suite("Sizes") struct SizeTests {
    private static let linesMax = 400
    private static let medianMax = 100

    private static let written = Repository.sources.filter { !$0.isGenerated }

    @Test("no file of Sources is too long")
    func longest() {
        expectNone(
            Self.written.filter { $0.lineCount > Self.linesMax }.map { file in
                Violation(
                    path: file.path, line: Self.linesMax,
                    remedy: "has \(file.lineCount) lines, \(Self.linesMax) is the most: take a type or an aspect "
                        + "(Type+Aspect.swift) out of it")
            })
    }

    @Test(
        "files are short in every storey",
        arguments: ["Libraries", "Core", "Clients", "Backends", "Services", "fanfare"])
    func median(storey: String) throws {
        let files = Self.written.filter { $0.path.hasPrefix("Sources/\(storey)/") }
        let sizes = files.map(\.lineCount).sorted()
        try #require(!sizes.isEmpty)
        let median = sizes[sizes.count / 2]
        #expect(
            median < Self.medianMax,
            "half of the files of Sources/\(storey) have \(median) lines or more: split them by type and aspect")
    }
}

extension TextFile {
    fileprivate var lineCount: Int { text.hasSuffix("\n") ? lines.count - 1 : lines.count }
}
