/// The rules that browsers hold for the console (docs/decisions/0040-no-cookie-carries-a-right.md).
enum ConsolePolicy {
    /// The headers of every answer below `/console/`.
    static let headers = [
        ("Content-Security-Policy", policy), ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"),
        ("Cross-Origin-Opener-Policy", "same-origin"), ("Cross-Origin-Resource-Policy", "same-origin"),
        ("Permissions-Policy", permissions), ("X-Frame-Options", "DENY"),
    ]

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self' blob:", "connect-src 'self'",
        "worker-src 'self'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'",
        "require-trusted-types-for 'script'", "trusted-types live",
    ].joined(separator: "; ")

    /// No page of the console needs a device of its reader's.
    private static let permissions = [
        "accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "fullscreen", "geolocation",
        "gyroscope", "magnetometer", "microphone", "midi", "payment", "picture-in-picture", "screen-wake-lock", "usb",
        "xr-spatial-tracking",
    ].map { "\($0)=()" }.joined(separator: ", ")
}
