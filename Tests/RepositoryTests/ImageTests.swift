import Testing

/// The files that the build of the image reads.
@Suite("Image") struct ImageTests {
    /// Rules of `.dockerignore`, of which the last one that names a path or a folder above it decides.
    private static func isLeftOut(_ path: String, by rules: [String]) -> Bool {
        let steps = path.split(separator: "/")
        let folders = (1...steps.count).map { steps.prefix($0).joined(separator: "/") }
        var isOut = false
        for rule in rules {
            let isException = rule.hasPrefix("!")
            let pattern = isException ? String(rule.dropFirst()) : rule
            let holds = folders.contains { folder in
                if pattern.hasPrefix("**/*") { return folder.hasSuffix(pattern.dropFirst(4)) }
                guard pattern.hasSuffix("/*") else { return folder == pattern }
                let above = pattern.dropLast(2)
                return folder.hasPrefix("\(above)/") && !folder.dropFirst(above.count + 1).contains("/")
            }
            if holds { isOut = !isException }
        }
        return isOut
    }

    @Test(
        "rules that leave out files are read as Docker reads them",
        arguments: [
            ("docs/openapi.yaml", false), ("docs/limits.md", true), ("docs/images/a.png", true),
            ("Sources/README.md", true), ("deploy/helm/x.yaml", true), ("Sources/a.swift", false),
        ])
    func rules(_ path: String, _ isOut: Bool) {
        #expect(
            Self.isLeftOut(path, by: ["deploy/*", "docs/*", "!docs/openapi.yaml", "**/*.md"]) == isOut, "\(path)")
    }

    @Test("the image's build has each file that the program embeds")
    func embedded() throws {
        let rules = try Repository.file(".dockerignore").lines.filter { !$0.isEmpty && !$0.hasPrefix("#") }
        var found = 0
        for path in ["Sources/Services/CServedFiles/files.c", "Sources/Libraries/CVersion/version.c"] {
            for line in try Repository.file(path).lines {
                guard let match = try Regex(#"^#embed "([^"]+)""#).firstMatch(in: line),
                    let name = match.output[1].substring
                else { continue }
                var steps = path.split(separator: "/").dropLast()
                for step in name.split(separator: "/") {
                    if step == ".." { steps.removeLast() } else { steps.append(step) }
                }
                found += 1
                let file = steps.joined(separator: "/")
                #expect(!Self.isLeftOut(file, by: rules), "\(path) embeds \(file), which .dockerignore leaves out")
            }
        }
        #expect(found >= 4)
    }
}
