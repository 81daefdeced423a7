import FanfareCloudKit
import Foundation
import Synchronization
import TestSupport
import Testing

/// The table of docs/client-library.md that says of each call where an error appears. The calls of `ErrorCalls` are
/// those of the table, and do what their row says.
@Suite struct ErrorTableTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// The rows, by call: an error of an item or zone, of some of the requests, of all.
    private func table() throws -> [String: [String]] {
        let text = try String(contentsOf: Self.root.appending(path: "docs/client-library.md"), encoding: .utf8)
        var rows: [String: [String]] = [:]
        for line in text.split(separator: "\n") where line.hasPrefix("| ") && line.contains("|") {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            if cells.count == 4, cells[0].hasPrefix("`") { rows[cells[0]] = Array(cells.dropFirst()) }
        }
        return rows
    }

    private func calls(_ service: SituationService) async throws -> ErrorCalls {
        var configuration = CKContainer.Configuration(
            url: "http://test/", containerIdentifier: "iCloud.test", environment: .development, apiToken: "a",
            signIn: .developmentUser("alice"), deviceID: "phone", transport: service)
        configuration.attemptsMax = 1
        let container = CKContainer(configuration: configuration)
        let shares = try await container.shareMetadatas(for: ErrorCalls.links)
        return ErrorCalls(container: container, shares: try ErrorCalls.links.map { try shares[$0]!.get() })
    }

    @Test("the table has all calls that take several items, and no other")
    func rows() async throws {
        let calls = try await calls(SituationService())
        let names = Set(calls.batches.keys).union(calls.singles.keys).union(calls.operations.keys)
        #expect(Set(try table().keys) == names)
        // Every call of several items has a form with a handler, but this one, which CloudKit never had.
        #expect(Set(calls.handlers.keys) == Set(calls.batches.keys).subtracting(["`markRead(_:)`"]))
        // Operations that take no list of items.
        let without: Set = [
            "CKQueryOperation", "CKFetchDatabaseChangesOperation", "CKFetchNotificationChangesOperation",
            "CKModifyBadgeOperation", "CKFetchWebAuthTokenOperation", "CKDiscoverAllUserIdentitiesOperation",
            "CKDatabaseOperation", "CKOperation",
        ]
        let folder = Self.root.appending(path: "Sources/Clients/FanfareCloudKit/Operations")
        for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for match in text.matches(of: /open class (CK\w+)/) where !without.contains(String(match.1)) {
                #expect(names.contains("`\(match.1)`"), "the operation is in no row")
            }
        }
    }

    @Test("an error is where the table says", arguments: SituationService.Situation.allCases)
    func places(_ situation: SituationService.Situation) async throws {
        let service = SituationService()
        let calls = try await calls(service)
        let rows = try table()
        service.situation.withLock { $0 = situation }
        for (name, call) in calls.batches.map({ $0 }) + calls.handlers.map({ $0 }) {
            var outcome: Outcome
            do { outcome = try await call() } catch { outcome = .thrown(CKError.code(error)!) }
            check(outcome, rows[name] ?? [], situation, name)
        }
        for (name, call) in calls.operations { check(await call(), rows[name] ?? [], situation, name) }
        for (name, call) in calls.singles {
            var code: CKError.Code?
            do { try await call() } catch { code = CKError.code(error) }
            switch situation {
            case .fine: #expect(code == nil, "\(name)")
            case .refused:
                #expect(
                    rows[name]?[0] == "thrown" && (code == .unknownItem || code == .zoneNotFound), "\(name) \(code)")
            case .partlyUnreachable: #expect(rows[name]?[1] == "–", "\(name)")
            case .unreachable, .signedOut:
                #expect(rows[name]?[2] == "thrown" && code == whole(situation), "\(name) \(code)")
            }
        }
    }

    private func whole(_ situation: SituationService.Situation) -> CKError.Code {
        situation == .signedOut ? .notAuthenticated : .networkUnavailable
    }

    private func check(
        _ outcome: Outcome, _ row: [String], _ situation: SituationService.Situation, _ name: String
    ) {
        guard row.count == 3 else { return }
        let cell: String
        switch situation {
        case .fine: cell = "nowhere"
        case .refused: cell = row[0]
        case .partlyUnreachable: cell = row[1] == "–" ? "nowhere" : row[1]
        case .unreachable, .signedOut: cell = row[2]
        }
        let place = place(of: outcome, situation)
        #expect(place == cell, "\(name), \(situation): \(outcome)")
    }

    /// The place of an error, in the words of the table.
    private func place(of outcome: Outcome, _ situation: SituationService.Situation) -> String {
        switch outcome {
        case .thrown(let code): return code == whole(situation) ? "thrown" : "thrown as \(code)"
        case .results(let codes):
            let failed = codes.filter { $1 != nil }
            if failed.isEmpty {
                return codes.keys.contains { isBad($0) } ? "nowhere" : "left out"
            }
            let isRight = failed.allSatisfy { isBad($0) && isExpected($1, situation) }
            return isRight && codes.count > failed.count ? "its result" : "wrong results"
        case .blocks(let codes, let result, let completion):
            let failed = codes.filter { $1 != nil }
            if let result { return result == whole(situation) ? "the end" : "the end as \(result)" }
            guard let completion else { return failed.isEmpty ? "nowhere" : "blocks alone" }
            guard completion.code == .partialFailure, let items = completion.partialErrorsByItemID else {
                return completion.code == whole(situation) ? "the end" : "the end as \(completion.code)"
            }
            let isSame = codes.isEmpty || items.count == failed.count
            let isRight =
                failed.allSatisfy { isBad($0) && isExpected($1, situation) }
                && items.values.allSatisfy { isExpected(CKError.code($0), situation) }
            return isSame && isRight
                ? (codes.isEmpty ? "`partialFailure`" : "its block, `partialFailure`") : "wrong blocks"
        }
    }

    private func isBad(_ name: String) -> Bool { name.contains("bad") || name == "gone" }

    private func isExpected(_ code: CKError.Code?, _ situation: SituationService.Situation) -> Bool {
        switch situation {
        case .refused: [.unknownItem, .zoneNotFound, .invalidArguments].contains(code)
        case .partlyUnreachable: code == .networkUnavailable
        default: false
        }
    }
}
