package import CloudModel

extension PolicyMessage {
    /// A policy as it is stored and published.
    package init(_ policy: DeliveryPolicy) {
        self.init(
            window: policy.window, count: Int32(policy.countMax ?? 0), hourlyMax: Int32(policy.hourlyMax ?? 0),
            quietHours: policy.quietHours.map { QuietHoursMessage(from: Int32($0.from), to: Int32($0.to)) },
            shapesFeed: policy.shapesFeed)
        switch policy.grouping {
        case .everyChange: grouping = 0
        case .latestPerRecord: grouping = 1
        case .digest: grouping = 2
        }
    }

    /// The policy. A grouping that this version does not know holds nothing.
    package var policy: DeliveryPolicy {
        let seconds = Int(clamping: max(0, window) / 1000)
        let grouping: DeliveryPolicy.Grouping =
            switch self.grouping {
            case 1: .latestPerRecord(windowSeconds: seconds)
            case 2: .digest(windowSeconds: seconds, count: count > 0 ? Int(count) : nil)
            default: .everyChange
            }
        return DeliveryPolicy(
            grouping, quietHours: quietHours.map { QuietHours(from: Int($0.from), to: Int($0.to)) },
            hourlyMax: hourlyMax > 0 ? Int(hourlyMax) : nil, shapesFeed: shapesFeed)
    }
}

extension DevicePoliciesMessage {
    /// A user's choices as they are stored and published.
    package init(_ policies: DevicePolicies) {
        self.init(
            clock: policies.clock.offsets.map { ClockOffsetMessage(from: $0.from, minutes: Int32($0.minutes)) },
            general: policies.general.map { PolicyMessage($0) },
            chosen: policies.chosen.map {
                ChosenPolicyMessage(
                    database: $0.database.rawValue, subscription: $0.subscription.rawValue,
                    policy: PolicyMessage($0.policy))
            })
    }

    /// The choices.
    package var policies: DevicePolicies {
        DevicePolicies(
            clock: DeviceClock(offsets: clock.map { .init(from: $0.from, minutes: Int($0.minutes)) }),
            general: general?.policy,
            chosen: chosen.compactMap { chosen in
                guard let database = DatabaseScope(rawValue: chosen.database), let policy = chosen.policy else {
                    return nil
                }
                return .init(
                    database: database, subscription: SubscriptionID(trusted: chosen.subscription),
                    policy: policy.policy)
            })
    }
}
