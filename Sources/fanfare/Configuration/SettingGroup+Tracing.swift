import Settings

extension SettingGroup {
    static let tracingSettings: [Setting<Configuration>] = [
        Setting(
            "otlp-endpoint", \.tracing.endpoint,
            "an OpenTelemetry collector, such as http://collector:4318, which gets spans by OTLP over HTTP as JSON; no trace is kept without"
        ) { url in
            let isURL = url.hasPrefix("http://") || url.hasPrefix("https://")
            return url.isEmpty || isURL ? nil : "begins with http:// or https://"
        },
        Setting(
            "trace-ratio", \.tracing.ratio, in: 0...1,
            "the share of requests that begin a trace, of those that come without a traceparent; of those with one its flag decides"
        ),
    ]
}
