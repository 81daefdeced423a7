import CloudModel
public import Foundation

extension CKContainer {
    /// Sets when notifications are pushed to this device, in place of the policies of subscriptions and of those that
    /// were set before; without arguments the subscriptions' hold again. Quiet hours are by the clock of `timeZone` for
    /// two years: set them again once a year, and when the device has moved. Not in CloudKit.
    /// - Parameters:
    ///     - policy: for all subscriptions that are not named; nil leaves them their own.
    ///     - subscriptions: for single ones, by database and ID; `CKDeliveryPolicy()` notifies each change at once.
    public func setDeliveryPolicies(
        _ policy: CKDeliveryPolicy? = nil,
        subscriptions: [CKDatabase.Scope: [CKSubscription.ID: CKDeliveryPolicy]] = [:], timeZone: TimeZone = .current
    ) async throws {
        let chosen = subscriptions.sorted { $0.key.rawValue < $1.key.rawValue }.flatMap { scope, policies in
            policies.sorted { $0.key < $1.key }.map { id, policy in
                DevicePolicies.Chosen(
                    database: scope.noun, subscription: SubscriptionID(trusted: id), policy: policy.noun)
            }
        }
        var policies = DevicePolicies(general: policy?.noun, chosen: chosen)
        if policies != DevicePolicies() { policies.clock = DeviceClock(timeZone, at: Date()) }
        do {
            let device = try await session.device()
            try await session.call { [policies] in try await $0.service.setPolicies(policies, of: device) }
        } catch { throw CKError(error) }
    }

    /// The policies that were set for this device. Not in CloudKit.
    public func deliveryPolicies() async throws -> (
        policy: CKDeliveryPolicy?, subscriptions: [CKDatabase.Scope: [CKSubscription.ID: CKDeliveryPolicy]]
    ) {
        do {
            let device = try await session.device()
            let policies = try await session.call { try await $0.service.policies(of: device) }
            var subscriptions: [CKDatabase.Scope: [CKSubscription.ID: CKDeliveryPolicy]] = [:]
            for chosen in policies.chosen {
                subscriptions[CKDatabase.Scope(chosen.database), default: [:]][chosen.subscription.rawValue] =
                    CKDeliveryPolicy(chosen.policy)
            }
            return (policies.general.map { CKDeliveryPolicy($0) }, subscriptions)
        } catch { throw CKError(error) }
    }
}
