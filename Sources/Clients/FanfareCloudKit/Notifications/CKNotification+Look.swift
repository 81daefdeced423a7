import CloudModel
import Foundation

/// The look of a notification, as the subscription had it.
extension CKNotification {
    /// The text of the alert.
    public var alertBody: String? { content.look.alert.text }
    /// The key of the alert's text.
    public var alertLocalizationKey: String? { content.look.alert.localizationKey }
    /// The texts that are put into the alert's.
    public var alertLocalizationArgs: [String]? { Self.filled(content.look.alert.localizationArgs) }
    /// The title.
    public var title: String? { content.look.title.text }
    /// The key of the title.
    public var titleLocalizationKey: String? { content.look.title.localizationKey }
    /// The texts that are put into the title.
    public var titleLocalizationArgs: [String]? { Self.filled(content.look.title.localizationArgs) }
    /// The subtitle.
    public var subtitle: String? { content.look.subtitle.text }
    /// The key of the subtitle.
    public var subtitleLocalizationKey: String? { content.look.subtitle.localizationKey }
    /// The texts that are put into the subtitle.
    public var subtitleLocalizationArgs: [String]? { Self.filled(content.look.subtitle.localizationArgs) }
    /// The key of the label of the alert's button.
    public var alertActionLocalizationKey: String? { content.look.actionLocalizationKey }
    /// The picture that is shown while the app starts.
    public var alertLaunchImage: String? { content.look.launchImage }
    /// The sound.
    public var soundName: String? { content.look.soundName }
    /// The group of buttons.
    public var category: String? { content.look.category }

    private static func filled(_ texts: [String]) -> [String]? { texts.isEmpty ? nil : texts }
}
