import CloudModel
import Foundation
import Stages
import TestSupport
import Testing

/// The tables in `docs` that users look things up in say what the code says.
@Suite("Reference") struct ReferenceTests {
    @Test("docs/error-codes.md has every error code with its status, and no other")
    func errorCodes() throws {
        let path = "docs/error-codes.md"
        let rows = try MarkdownFile(Repository.file(path)).subjects
        expectNone(Self.differences(rows, CloudErrorCode.allCases.map(\.rawValue), in: path, what: "an error code"))
        expectNone(
            CloudErrorCode.allCases.compactMap { code in
                guard let row = rows[code.rawValue], row.cells[1] != "\(code.httpStatus)" else { return nil }
                return Violation(
                    path: path, line: row.line,
                    remedy:
                        "\(code.rawValue) has the HTTP status \(code.httpStatus) in CloudErrorCode.swift: correct the row"
                )
            })
    }

    @Test("docs/settings.md is what the program prints")
    func settings() async throws {
        let folder = TemporaryFolder()
        let process = FanfareProcess(["configuration", "--markdown"], folder: folder, name: "settings")
        let (code, printed) = try await process.run()
        try #require(code == 0, "\(FanfareProcess.executable.path) failed: \(process.complaints)")
        let written = try Repository.file("docs/settings.md")
        let difference = zip(
            written.lines + [""], printed.split(separator: "\n", omittingEmptySubsequences: false) + [""]
        )
        .enumerated().first { $0.element.0 != $0.element.1 }
        if written.text != printed {
            let line = difference.map { $0.offset + 1 } ?? written.lines.count
            expectNone([
                Violation(
                    path: written.path, line: line,
                    remedy: "differs from the program's settings: fanfare configuration --markdown > docs/settings.md")
            ])
        }
    }

    @Test("commands that documents name are the program's")
    func commands() async throws {
        let folder = TemporaryFolder()
        let (code, printed) = try await FanfareProcess(["help"], folder: folder, name: "help").run()
        let names = Set(
            printed.split(separator: "\n").compactMap { line -> String? in
                line.firstMatch(of: #/^  ([a-z-]+(?: [a-z-]+)?)  /#).map { String($0.output.1) }
            })
        try #require(code == 0 && names.contains("users delete"))
        expectNone(
            Repository.files.filter { $0.path.hasSuffix(".md") }.flatMap { file in
                file.numbered.flatMap { number, line in
                    Self.commands(in: line).filter { !names.contains($0.0) && !names.contains("\($0.0) \($0.1)") }.map {
                        Violation(
                            path: file.path, line: number,
                            remedy: "`fanfare \($0) \($1)` is no command: see fanfare help")
                    }
                }
            })
    }

    /// The first two words behind the program's name, where a line has it as code.
    private static func commands(in line: some StringProtocol) -> [(String, String)] {
        String(line).matches(of: #/`fanfare ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/#).map { match in
            (String(match.output.1), match.output.2.map { String($0) } ?? "")
        }
    }

    @Test("docs/faults.md has every step at which a process can be killed, and no other")
    func killPoints() throws {
        let path = "docs/faults.md"
        // Another table of the page has topics that are lost.
        let rows = try MarkdownFile(Repository.file(path)).subjects
            .filter { $0.key.contains("-") && $0.key != "delivery-state" }
        expectNone(Self.differences(rows, KillPoint.allCases.map(\.rawValue), in: path, what: "a step"))
    }

    @Test("docs/metrics.md has every metric, and no other")
    func metrics() throws {
        let isNamed = { (text: String) in text.holds("\"fanfare_") || text.holds("\"process_") }
        let names = Repository.sources.filter { isNamed($0.text) }.flatMap { file in
            file.text.matches(of: /"((?:fanfare|process)_[a-z0-9_]+)"/).map { String($0.output.1) }
        }
        try #require(!names.isEmpty)
        let path = "docs/metrics.md"
        expectNone(
            Self.differences(try MarkdownFile(Repository.file(path)).subjects, names, in: path, what: "a metric"))
    }

    @Test("docs/limits.md has every limit with its value")
    func limits() throws {
        let path = "docs/limits.md"
        let rows = try MarkdownFile(Repository.file(path)).subjects
        let limits = try Repository.file("Sources/Core/CloudModel/Limits.swift").text
            .matches(of: /package static let (\w+) = (\d+)(?: << (\d+))?\n/)
            .map { (name: String($0.output.1), value: Int($0.output.2)! << ($0.output.3.flatMap { Int($0) } ?? 0)) }
        try #require(!limits.isEmpty)
        expectNone(
            limits.compactMap { name, value in
                guard let row = rows[name] else {
                    return Violation(path: path, remedy: "has no row for the limit `\(name)`: add it")
                }
                let digits = row.cells[1].prefix { $0.isNumber || $0 == "," }.filter { $0 != "," }
                if digits == "\(value)" { return nil }
                return Violation(
                    path: path, line: row.line, remedy: "`\(name)` is \(value) in Limits.swift: correct the row")
            })
    }

    @Test("every limit has a form that the test of docs/limits.md reads")
    func limitForms() throws {
        let file = try Repository.file("Sources/Core/CloudModel/Limits.swift")
        expectNone(
            file.numbered.filter { $0.line.contains("static let") && !$0.line.contains(/= \d+(?: << \d+)?$/) }.map {
                Violation(
                    path: file.path, line: $0.number,
                    remedy:
                        "is neither a number nor `number << number`: write it so, or teach ReferenceTests to read it")
            })
    }

    /// What only one of table and code has.
    private static func differences(
        _ rows: [String: (cells: [String], line: Int)], _ names: [String], in path: String, what: String
    ) -> [Violation] {
        let missing = Set(names).subtracting(rows.keys).sorted().map {
            Violation(path: path, remedy: "has no row for \(what), `\($0)`: add it")
        }
        let foreign = rows.filter { !names.contains($0.key) }.sorted { $0.value.line < $1.value.line }.map {
            Violation(
                path: path, line: $0.value.line, remedy: "`\($0.key)` is not \(what) of the code: take the row out")
        }
        return missing + foreign
    }
}
