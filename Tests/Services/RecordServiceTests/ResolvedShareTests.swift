import CloudModel
import RecordService
import TestSupport
import Testing

/// The bytes that an answer with shares may have (security review 3, finding 4).
@Suite struct ResolvedShareTests {
    private static let zone = GivenZone(name: ZoneName(trusted: "z"))
    private static let rootBytes = 1_000_000

    /// Shares of records of a megabyte each; their short GUIDs.
    private func shares(_ count: Int, _ rig: RecordServiceRig) async throws -> [String] {
        _ = try await rig.zone(.create, "z")
        let text = FieldValue.string(String(repeating: "x", count: Self.rootBytes))
        var guids: [String] = []
        for number in 0..<count {
            let root = RecordOperation.on("root\(number)", .create, ["t": text])
            #expect(try await rig.apply(root, in: .private, zone: Self.zone).code == nil)
            var share = RecordOperation.on("share\(number)", .create)
            share.recordType = .share
            share.share = GivenShare(
                root: RecordName(trusted: "root\(number)"), publicPermission: .readOnly, participants: [])
            let saved = try await rig.apply(share, in: .private, zone: Self.zone)
            guids.append(try #require(saved.record?.shareDetails?.shortGUID, "\(saved)"))
        }
        return guids
    }

    @Test("shares are answered with their roots up to a limit of bytes, also where they are accepted")
    func bytes() async throws {
        let rig = try await RecordServiceRig()
        let most = Limits.lookupBytesMax / Self.rootBytes
        let guids = try await shares(most + 3, rig)
        let resolved = try await rig.service.resolveShares(guids, for: rig.alice)
        let accepted = try await rig.service.acceptShares(guids, for: rig.bob)
        for results in [resolved, accepted] {
            // The last one may go beyond it.
            #expect((1...most + 1).contains(results.count { (try? $0.get()) != nil }))
            for result in results {
                guard case .failure(let error) = result else { continue }
                #expect(error.code == .quotaExceeded)
                #expect(error.limit == ExceededLimit("lookupBytesMax", Limits.lookupBytesMax))
            }
        }
        // What failed is answered by itself.
        _ = try await rig.service.resolveShares([try #require(guids.last)], for: rig.alice)[0].get()
    }

    @Test("a share stands once in a request")
    func twice() async throws {
        let rig = try await RecordServiceRig()
        let guid = try #require(try await shares(1, rig).first)
        await expect(code: .badRequest) {
            _ = try await rig.service.resolveShares([guid, "other", guid], for: rig.alice)
        }
        await expect(code: .badRequest) { _ = try await rig.service.acceptShares([guid, guid], for: rig.bob) }
    }
}
