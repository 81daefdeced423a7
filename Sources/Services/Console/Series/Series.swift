/// A number of the process over the last hour.
package struct Series: Sendable {
    /// The name in answers.
    package var name: String
    /// The line's name in its chart.
    package var label: String
    /// The title of the chart that it is in, with others of the same unit.
    package var group: String
    /// The unit of its values: `s`, `B`, or empty for a count.
    package var unit: String
    package var rule: SeriesRule

    package init(_ name: String, _ label: String, in group: String, unit: String = "", _ rule: SeriesRule) {
        self.name = name
        self.label = label
        self.group = group
        self.unit = unit
        self.rule = rule
    }

    /// The series of a process. Those of a service that runs elsewhere have no value here.
    package static let all: [Series] = requests + notifications + waiting + pushes + process

    private static let requests: [Series] = {
        let group = "Requests a second"
        return [
            Series("requests", "requests", in: group, .rate("fanfare_web_api_requests_total")),
            Series("errors", "failed", in: group, .rate("fanfare_web_api_errors_total")),
            Series("throttled", "throttled", in: group, .rate("fanfare_web_api_throttled_total")),
            Series(
                "requestP50", "half of them", in: "Time of a request", unit: "s",
                .quantile("fanfare_web_api_request_seconds", 0.5)),
            Series(
                "requestP99", "99 of 100", in: "Time of a request", unit: "s",
                .quantile("fanfare_web_api_request_seconds", 0.99)),
        ]
    }()

    private static let notifications: [Series] = {
        let group = "Changes and notifications a second"
        let age = "From a change to its notifications"
        return [
            Series("published", "published", in: group, .rate("fanfare_record_service_outbox_rows_total")),
            Series("matched", "matched", in: group, .rate("fanfare_subscription_matcher_changes_total")),
            Series("hits", "hits", in: group, .rate("fanfare_subscription_matcher_hits_total")),
            Series(
                "notifications", "notifications", in: group,
                .rate("fanfare_notification_delivery_notifications_total")),
            Series(
                "matchedP50", "stage 1, half", in: age, unit: "s",
                .quantile("fanfare_subscription_matcher_age_seconds", 0.5)),
            Series(
                "matchedP99", "stage 1, 99 of 100", in: age, unit: "s",
                .quantile("fanfare_subscription_matcher_age_seconds", 0.99)),
            Series(
                "deliveredP50", "in feeds, half", in: age, unit: "s",
                .quantile("fanfare_notification_delivery_age_seconds", 0.5)),
            Series(
                "deliveredP99", "in feeds, 99 of 100", in: age, unit: "s",
                .quantile("fanfare_notification_delivery_age_seconds", 0.99)),
        ]
    }()

    private static let waiting: [Series] = {
        let (age, entries) = ("Time behind", "Entries behind")
        let stages = [("match", "stage 1"), ("deliver", "stage 2"), ("push", "push")]
        return stages.map { stage, label in
            Series(
                "\(stage)Seconds", label, in: age, unit: "s",
                .peak("fanfare_stage_lag_seconds", SeriesRule.Label("stage", stage)))
        }
            + [
                Series(
                    "deliverySeconds", "both stages", in: age, unit: "s",
                    .sum("fanfare_record_service_delivery_lag_seconds")),
                Series("outboxRows", "outbox", in: entries, .sum("fanfare_record_service_outbox_waiting_rows")),
            ]
            + stages.map { stage, label in
                Series(
                    "\(stage)Entries", label, in: entries,
                    .sum("fanfare_stage_lag_entries", SeriesRule.Label("stage", stage)))
            }
            + [
                Series(
                    "outboxBytes", "outbox", in: "Bytes that wait", unit: "B",
                    .sum("fanfare_record_service_outbox_waiting_bytes")),
                Series("setAside", "set aside", in: "Entries set aside", .sum("fanfare_poison_entries")),
            ]
    }()

    private static let pushes: [Series] = {
        let group = "Pushes a second"
        let sent = SeriesRule.Label("outcome", "sent")
        let failed = SeriesRule.Label("outcome", "failed")
        return [
            Series("pushesSent", "sent", in: group, .rate("fanfare_push_sender_pushes_total", sent)),
            Series("pushesFailed", "failed", in: group, .rate("fanfare_push_sender_pushes_total", failed)),
            Series("pushesWaiting", "waiting", in: "Pushes that wait", .sum("fanfare_push_sender_waiting_pushes")),
        ]
    }()

    private static let process: [Series] = [
        Series("streams", "streams", in: "Readers of feeds", .sum("fanfare_web_api_notification_streams")),
        Series("readers", "waiting readers", in: "Readers of feeds", .sum("fanfare_feeds_waiting")),
        Series("memory", "resident", in: "Memory", unit: "B", .sum("process_resident_memory_bytes")),
        Series("processors", "processors", in: "Processors in use", .rate("process_cpu_seconds_total")),
        Series("files", "open", in: "Files and connections", .sum("process_open_fds")),
    ]
}
