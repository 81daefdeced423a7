/// A subscription's ID, chosen by the client or made by us; unique within one user's one database.
package struct SubscriptionID: Identifier {
    package let rawValue: String

    package init(_ rawValue: String) throws(CloudError) {
        try NameRule.printableASCII(rawValue, kind: "subscriptionID")
        self.rawValue = rawValue
    }

    package init(trusted rawValue: String) { self.rawValue = rawValue }
}
