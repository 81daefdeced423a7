import CloudModel
import Identity
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// An address belongs to who proved it last, and brings nothing along that was meant for who had it before.
@Suite struct AddressTests {
    private static let address = "office@example.com"

    private func prove(_ bench: Bench, _ subject: String, _ address: String? = Self.address) async throws -> Caller {
        Caller(
            user: try await bench.identity.user(
                UserIdentity(issuer: "i", subject: subject),
                IdentityClaims(email: address, givenName: subject, familyName: nil)))
    }

    /// Alice shares a zone with the address.
    private func share(_ bench: Bench, _ zone: GivenZone) async throws -> String {
        _ = try await bench.zone(.create, zone)
        var operation = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
        operation.recordType = .share
        operation.share = GivenShare(
            participants: [.init(person: .emailAddress("Office@example.com"), permission: .readWrite)])
        let outcome = try await bench.apply(operation, in: .private, zone: zone)
        return try #require(outcome.record?.shareDetails?.shortGUID, "\(outcome)")
    }

    private func accepts(_ bench: Bench, _ guid: String, _ caller: Caller) async throws -> Bool {
        switch try await bench.service.acceptShares([guid], for: caller)[0] {
        case .success: return true
        case .failure(let error):
            #expect(error.code == .notFound)
            return false
        }
    }

    /// However the former holder came by the invitation, and wherever it stood when the address moved on.
    @Test(
        arguments: ["before either", "to the holder", "to one who is found", "accepted"],
        [true, false])
    func aNewHolderInheritsNothing(when: String, isNewKnown: Bool) async throws {
        let bench = try await Bench()
        let isKnown = isNewKnown ? try await prove(bench, "new", nil) : nil
        var guid = ""
        if when == "before either" { guid = try await share(bench, "z") }
        let former = try await prove(bench, "former")
        if when == "to one who is found" { try await bench.service.setDiscoverable(true, for: former) }
        if when != "before either" { guid = try await share(bench, "z") }
        if when == "accepted" { #expect(try await accepts(bench, guid, former)) }
        let new = try await prove(bench, "new")
        #expect(new.user != former.user && (isKnown == nil || isKnown?.user == new.user))
        #expect(try await !accepts(bench, guid, new))
        #expect(try await bench.service.listZones(in: .shared, for: new).isEmpty)
        // It stays whose it was.
        #expect(try await accepts(bench, guid, former))
        #expect(try await bench.service.listZones(in: .shared, for: former).count == 1)
        // The profile tells whose the address is now.
        #expect(try await bench.service.currentUser(for: former).email == nil)
        #expect(try await bench.service.currentUser(for: new).email == Self.address)
        // What is sent to the address from now on is the new holder's.
        let next = try await share(bench, "y")
        #expect(try await !accepts(bench, next, former))
        #expect(try await accepts(bench, next, new))
    }

    /// Nobody proves the address between: who gave it up keeps what came while it was theirs.
    @Test func anAddressThatWasGivenUpLeavesItsInvitations() async throws {
        let bench = try await Bench()
        let former = try await prove(bench, "former")
        let guid = try await share(bench, "z")
        #expect(try await prove(bench, "former", "other@example.com").user == former.user)
        let new = try await prove(bench, "new")
        #expect(try await !accepts(bench, guid, new))
        #expect(try await accepts(bench, guid, former))
    }

    /// Saving the share again, as it is, does not turn a participant into somebody else.
    @Test func anOwnerWhoRepeatsAnAddressMeansTheSameUser() async throws {
        let bench = try await Bench()
        let former = try await prove(bench, "former")
        let guid = try await share(bench, "z")
        #expect(try await accepts(bench, guid, former))
        let new = try await prove(bench, "new")
        #expect(try await share(bench, "z") == guid)
        #expect(try await bench.service.listZones(in: .shared, for: former).count == 1)
        #expect(try await !accepts(bench, guid, new))
    }

    /// Of a user who is removed, the next one with the address inherits nothing either.
    @Test func aRemovedUsersInvitationsAreNobodys() async throws {
        let bench = try await Bench()
        let former = try await prove(bench, "former")
        let guid = try await share(bench, "z")
        let removal = try await bench.removeUser(former.user!)
        #expect(removal.zones == 0)
        let new = try await prove(bench, "new")
        #expect(try await !accepts(bench, guid, new))
        let again = try await prove(bench, "former")
        #expect(again.user != former.user)
    }
}
