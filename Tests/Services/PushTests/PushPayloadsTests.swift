import CloudModel
import JSON
import Push
import TestSupport
import Testing

/// Payloads of notifications as feeds have them.
@Suite struct PushPayloadsTests {
    private static let payloads = PushPayloads(container: ContainerIdentifier(trusted: "iCloud.test")) {
        "change \($0.change)"
    }

    @Test("a payload is that of the notification")
    func query() throws {
        let json = try #require(Self.payloads.payload(Pushed.notification(.query, badge: 3))?.json)
        #expect(json["aps"] == ["alert": "b", "badge": 3])
        #expect(json["ck"]?["cid"] == "iCloud.test" && json["ck"]?["nid"] == "change 9")
        #expect(json["ck"]?["ckuserid"]?.string == Pushed.user.rawValue)
        #expect(json["ck"]?["qry"]?["sid"] == "s" && json["ck"]?["qry"]?["dbs"] == 1)
    }

    @Test(
        "pushes of zones and databases have the zone",
        arguments: [(.zone, "fet"), (.database, "met")] as [(Subscription.Kind, String)])
    func zones(kind: Subscription.Kind, key: String) throws {
        let json = try #require(Self.payloads.payload(Pushed.notification(kind))?.json)
        let details = try #require(json["ck"]?[key]?.object)
        #expect(Set(details.map(\.key)) == ["dbs", "sid", "zid", "zoid"])
        #expect(json["ck"]?["qry"] == nil)
    }

    @Test("read marks and counts of omitted notifications make no push")
    func none() {
        var notification = Pushed.notification(.query)
        notification.content = .read
        #expect(Self.payloads.payload(notification) == nil)
        notification.content = .omitted(
            Notification.OmittedContent(
                count: 2, database: .public, reason: .updated, record: nil, zone: .publicDefault))
        #expect(Self.payloads.payload(notification) == nil)
    }
}
