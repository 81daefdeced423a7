/// A small file that the console keeps, as a whole, readable by its owner only.
package struct KeptFile: Sendable {
    /// Returns the bytes that were saved last; nil for nothing.
    let load: @Sendable () throws -> [UInt8]?
    let save: @Sendable ([UInt8]) throws -> Void

    /// - Parameters:
    ///   - load: returns the bytes that were saved last; nil for nothing.
    ///   - save: keeps bytes in place of the former ones.
    package init(load: @escaping @Sendable () throws -> [UInt8]?, save: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.load = load
        self.save = save
    }
}
