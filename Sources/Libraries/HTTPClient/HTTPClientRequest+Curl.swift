import CCurl

extension HTTPClientRequest {
    /// Sets the method of an easy handle, and the size of the body if one is sent.
    func setMethod(of easy: UnsafeMutableRawPointer, bodyBytes: Int) {
        if method == "HEAD" {
            curl_set_long(easy, CURLOPT_NOBODY, 1)
            curl_set_string(easy, CURLOPT_CUSTOMREQUEST, nil)
        } else if bodyBytes > 0 || ["POST", "PUT", "PATCH"].contains(method) {
            curl_set_long(easy, CURLOPT_POST, 1)
            curl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bodyBytes))
            curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method == "POST" ? nil : method)
        } else {
            curl_set_long(easy, CURLOPT_HTTPGET, 1)
            curl_set_string(easy, CURLOPT_CUSTOMREQUEST, method == "GET" ? nil : method)
        }
    }

    /// The header fields as libcurl takes them; the caller frees the list.
    var headerList: UnsafeMutablePointer<curl_slist>? {
        // Names without a value take out what libcurl adds by itself.
        var list = curl_slist_append(nil, "Expect:")
        if !headers.contains(where: { $0.0.utf8.count == 12 && $0.0.lowercased() == "content-type" }) {
            list = curl_slist_append(list, "Content-Type:")
        }
        var last = list
        while let next = last?.pointee.next { last = next }
        for (name, value) in headers {
            var (name, value) = (name, value)
            last = name.withUTF8 { name in
                value.withUTF8 { value in
                    curl_append_field(last, name.baseAddress, name.count, value.baseAddress, value.count)
                }
            }
        }
        return list
    }
}
