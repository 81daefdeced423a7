import CloudModel
import Identity
import RecordStore
import TestSupport
import Testing

@testable import RecordService

/// An address belongs to the user who proved it last, and brings nothing that was meant for the earlier one.
@Suite struct AddressTests {
    private static let address = "office@example.com"

    private func prove(_ rig: RecordServiceRig, _ subject: String, _ address: String? = Self.address) async throws
        -> Caller
    {
        Caller(
            user: try await rig.identity.user(
                UserIdentity(issuer: "i", subject: subject),
                IdentityClaims(email: address, givenName: subject, familyName: nil)))
    }

    /// Alice shares a zone with the address.
    private func share(_ rig: RecordServiceRig, _ zone: GivenZone) async throws -> String {
        _ = try await rig.zone(.create, zone)
        var operation = RecordOperation.on("cloudkit.zoneshare", .forceUpdate)
        operation.recordType = .share
        operation.share = GivenShare(
            participants: [.init(person: .emailAddress("Office@example.com"), permission: .readWrite)])
        let outcome = try await rig.apply(operation, in: .private, zone: zone)
        return try #require(outcome.record?.shareDetails?.shortGUID, "\(outcome)")
    }

    private func accepts(_ rig: RecordServiceRig, _ guid: String, _ caller: Caller) async throws -> Bool {
        switch try await rig.service.acceptShares([guid], for: caller)[0] {
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
        let rig = try await RecordServiceRig()
        let isKnown = isNewKnown ? try await prove(rig, "new", nil) : nil
        var guid = ""
        if when == "before either" { guid = try await share(rig, "z") }
        let former = try await prove(rig, "former")
        if when == "to one who is found" { try await rig.service.setDiscoverable(true, for: former) }
        if when != "before either" { guid = try await share(rig, "z") }
        if when == "accepted" { #expect(try await accepts(rig, guid, former)) }
        let new = try await prove(rig, "new")
        #expect(new.user != former.user && (isKnown == nil || isKnown?.user == new.user))
        #expect(try await !accepts(rig, guid, new))
        #expect(try await rig.service.listZones(in: .shared, for: new).isEmpty)
        // It stays whose it was.
        #expect(try await accepts(rig, guid, former))
        #expect(try await rig.service.listZones(in: .shared, for: former).count == 1)
        // The profile has the current owner of the address.
        #expect(try await rig.service.currentUser(for: former).email == nil)
        #expect(try await rig.service.currentUser(for: new).email == Self.address)
        // Later invitations to the address are the new holder's.
        let next = try await share(rig, "y")
        #expect(try await !accepts(rig, next, former))
        #expect(try await accepts(rig, next, new))
    }

    /// Nobody proves the address in between: the user who gave it up keeps the earlier invitations.
    @Test func anAddressThatWasGivenUpLeavesItsInvitations() async throws {
        let rig = try await RecordServiceRig()
        let former = try await prove(rig, "former")
        let guid = try await share(rig, "z")
        #expect(try await prove(rig, "former", "other@example.com").user == former.user)
        let new = try await prove(rig, "new")
        #expect(try await !accepts(rig, guid, new))
        #expect(try await accepts(rig, guid, former))
    }

    /// Saving the share again, as it is, does not turn a participant into somebody else.
    @Test func aRepeatedAddressIsTheSameUser() async throws {
        let rig = try await RecordServiceRig()
        let former = try await prove(rig, "former")
        let guid = try await share(rig, "z")
        #expect(try await accepts(rig, guid, former))
        let new = try await prove(rig, "new")
        #expect(try await share(rig, "z") == guid)
        #expect(try await rig.service.listZones(in: .shared, for: former).count == 1)
        #expect(try await !accepts(rig, guid, new))
    }

    /// Of a user who is removed, the next one with the address inherits nothing either.
    @Test func aRemovedUsersInvitationsAreNobodys() async throws {
        let rig = try await RecordServiceRig()
        let former = try await prove(rig, "former")
        let guid = try await share(rig, "z")
        let removal = try await rig.removeUser(former.user!)
        #expect(removal.zones == 0)
        let new = try await prove(rig, "new")
        #expect(try await !accepts(rig, guid, new))
        let again = try await prove(rig, "former")
        #expect(again.user != former.user)
    }
}
