// Written by scripts/generate-messages from appearance.proto: change that file and run it again.
// swift-format-ignore-file

package import ProtocolBuffers

/// In a subscription the arguments are names of fields; in hits and feeds they are the values.
package struct AppearanceMessage: WireMessage {
    package var alertLocalizationKey: String?
    package var alertLocalizationArgs: [String] = []
    package var title: String?
    package var titleLocalizationKey: String?
    package var titleLocalizationArgs: [String] = []
    package var subtitle: String?
    package var subtitleLocalizationKey: String?
    package var subtitleLocalizationArgs: [String] = []
    package var alertActionLocalizationKey: String?
    package var alertLaunchImage: String?
    package var soundName: String?
    package var category: String?
    package var contentAvailable: Bool = false
    package var mutableContent: Bool = false
    /// In a subscription a text or the name of a field; in hits and feeds what it came to.
    package var collapseId: String?

    package init() {}

    package init(
        alertLocalizationKey: String? = nil,
        alertLocalizationArgs: [String] = [],
        title: String? = nil,
        titleLocalizationKey: String? = nil,
        titleLocalizationArgs: [String] = [],
        subtitle: String? = nil,
        subtitleLocalizationKey: String? = nil,
        subtitleLocalizationArgs: [String] = [],
        alertActionLocalizationKey: String? = nil,
        alertLaunchImage: String? = nil,
        soundName: String? = nil,
        category: String? = nil,
        contentAvailable: Bool = false,
        mutableContent: Bool = false,
        collapseId: String? = nil
    ) {
        self.alertLocalizationKey = alertLocalizationKey
        self.alertLocalizationArgs = alertLocalizationArgs
        self.title = title
        self.titleLocalizationKey = titleLocalizationKey
        self.titleLocalizationArgs = titleLocalizationArgs
        self.subtitle = subtitle
        self.subtitleLocalizationKey = subtitleLocalizationKey
        self.subtitleLocalizationArgs = subtitleLocalizationArgs
        self.alertActionLocalizationKey = alertActionLocalizationKey
        self.alertLaunchImage = alertLaunchImage
        self.soundName = soundName
        self.category = category
        self.contentAvailable = contentAvailable
        self.mutableContent = mutableContent
        self.collapseId = collapseId
    }

    package func encode(into writer: inout MessageWriter) {
        if let value = self.alertLocalizationKey { writer.write(value, field: 1) }
        for value in self.alertLocalizationArgs { writer.write(value, field: 2) }
        if let value = self.title { writer.write(value, field: 3) }
        if let value = self.titleLocalizationKey { writer.write(value, field: 4) }
        for value in self.titleLocalizationArgs { writer.write(value, field: 5) }
        if let value = self.subtitle { writer.write(value, field: 6) }
        if let value = self.subtitleLocalizationKey { writer.write(value, field: 7) }
        for value in self.subtitleLocalizationArgs { writer.write(value, field: 8) }
        if let value = self.alertActionLocalizationKey { writer.write(value, field: 9) }
        if let value = self.alertLaunchImage { writer.write(value, field: 10) }
        if let value = self.soundName { writer.write(value, field: 11) }
        if let value = self.category { writer.write(value, field: 12) }
        if self.contentAvailable { writer.write(self.contentAvailable, as: Wire.Bool.self, field: 13) }
        if self.mutableContent { writer.write(self.mutableContent, as: Wire.Bool.self, field: 14) }
        if let value = self.collapseId { writer.write(value, field: 15) }
    }

    package mutating func decode(from reader: inout MessageReader) throws(MessageError) {
        while let field = try reader.nextField() {
            switch field {
            case 1: self.alertLocalizationKey = try reader.string()
            case 2: self.alertLocalizationArgs.append(try reader.string())
            case 3: self.title = try reader.string()
            case 4: self.titleLocalizationKey = try reader.string()
            case 5: self.titleLocalizationArgs.append(try reader.string())
            case 6: self.subtitle = try reader.string()
            case 7: self.subtitleLocalizationKey = try reader.string()
            case 8: self.subtitleLocalizationArgs.append(try reader.string())
            case 9: self.alertActionLocalizationKey = try reader.string()
            case 10: self.alertLaunchImage = try reader.string()
            case 11: self.soundName = try reader.string()
            case 12: self.category = try reader.string()
            case 13: self.contentAvailable = try reader.read(Wire.Bool.self)
            case 14: self.mutableContent = try reader.read(Wire.Bool.self)
            case 15: self.collapseId = try reader.string()
            default: try reader.skip()
            }
        }
    }
}
