import CloudModel
import HTTPClient
import Push
import Settings

/// The settings of pushes by providers: APNs, Web Push and webhooks.
struct PushConfiguration: Sendable {
    var apnsKeyFile = ""
    var apnsKeyID = ""
    var apnsTeamID = ""
    var apnsTopic = ""
    var apnsTable = ""
    var apnsProductionURL = APNSProvider.origins[.production]!
    var apnsDevelopmentURL = APNSProvider.origins[.development]!
    var vapidSubject = ""
    var webPushHosts = OutgoingGuard.browserPushServices
    var webhookHosts: [String] = []
    var ports: [String] = []
    var allowsLoopback = false
    var caFile = ""
    var expiryDays = 28
    /// Rows of the push-log; 0 for none.
    var logRows = 1_000_000

    /// The decision about URLs of Web Push.
    var webPushGuard: OutgoingGuard { guarding(webPushHosts) }
    /// The decision about URLs of webhooks.
    var webhookGuard: OutgoingGuard { guarding(webhookHosts) }

    /// The reason why nothing is sent to a URL.
    func refusal(_ kind: CourierKind, _ url: String) -> String? {
        do throws(GuardedURL.Defect) {
            _ = try (kind == .webPush ? webPushGuard : webhookGuard).check(url)
            return nil
        } catch {
            return "\(error)"
        }
    }

    private func guarding(_ hosts: [String]) -> OutgoingGuard {
        OutgoingGuard(hosts: hosts, ports: Set(ports.compactMap { Int($0) }), allowsLoopback: allowsLoopback)
    }

    /// The contact that push services are given; nil without Web Push.
    var subject: VAPIDSubject? {
        get throws(SettingsError) {
            guard !vapidSubject.isEmpty else { return nil }
            do throws(VAPIDSubjectError) { return try VAPIDSubject(vapidSubject) } catch {
                throw SettingsError("\(error)")
            }
        }
    }
}
