//! Tests a sample of every format, from the documentation of the format. `auto` recognizes the format, and only the URLs are
//! decoded.

use crate::kinds;
use crate::process;

use process::{Folder, pct};

/// Names of formats and their samples. Fields with URLs contain `caf%C3%A9`, which is decoded. Other fields contain `%41`, which
/// stays.
const SAMPLES: &[(&str, &str)] = &[
    ("clf", "127.0.0.1 - frank%41 [10/Oct/2000:13:55:36 -0700] \"GET /caf%C3%A9?q=caf%C3%A9 HTTP/1.0\" 200 2326\n"),
    (
        "combined",
        "127.0.0.1 - frank [10/Oct/2000:13:55:36 -0700] \"GET /caf%C3%A9 HTTP/1.0\" 200 2326 \
         \"http://www.example.com/caf%C3%A9\" \"Mozilla/4.08 [en] (Win98; I ;Nav) %41\"\n",
    ),
    (
        "apache-vhost",
        "example.com:443 192.0.2.1 - frank%41 [10/Oct/2000:13:55:36 -0700] \"GET /caf%C3%A9 HTTP/1.1\" 200 2326 \
         \"http://www.example.com/caf%C3%A9\" \"Mozilla/4.08 [en] (Win98; I ;Nav) %41\"\n",
    ),
    (
        "alb",
        "https 2018-07-02T22:23:00.186641Z app/my-loadbalancer/50dc6c495c0c9188 192.168.131.39:2817 10.0.0.1:80 0.086 0.048 \
         0.037 200 200 0 57 \"GET https://www.example.com:443/caf%C3%A9 HTTP/1.1\" \"curl/7.46.0 %41\" \
         ECDHE-RSA-AES128-GCM-SHA256 TLSv1.2 arn:aws:elasticloadbalancing:us-east-2:123456789012:targetgroup/t/73e2d6bc24d8a067 \
         \"Root=1-58337281-1d84f3d73c47ec4e58577259\" \"www.example.com\" \"-\" 1 2018-07-02T22:22:48.364000Z \"redirect\" \
         \"https://example.com:80/caf%C3%A9\" \"-\" \"10.0.0.1:80\" \"200\" \"-\" \"-\"\n",
    ),
    (
        "elb",
        "2015-05-13T23:39:43.945958Z my-loadbalancer 192.168.131.39:2817 10.0.0.1:80 0.000073 0.001048 0.000057 200 200 0 29 \
         \"GET http://www.example.com:80/caf%C3%A9 HTTP/1.1\" \"curl/7.38.0 %41\" - -\n",
    ),
    (
        "s3",
        "79a59df900b949e55d96a1e698fbacedfd6e09d98eacf8f8d5218e7cd47ef2be awsexamplebucket1 [06/Feb/2019:00:00:38 +0000] 192.0.2.3 79a59df900b949e5 3E57427F3EXAMPLE \
         REST.GET.OBJECT caf%C3%A9 \"GET /awsexamplebucket1/caf%C3%A9 HTTP/1.1\" 200 - 113 113 7 6 \
         \"http://www.example.com/caf%C3%A9\" \"S3Console/0.4 %41\" - s9lzHYrFp76ZVxRcpX9 SigV4 ECDHE-RSA-AES128-GCM-SHA256 \
         AuthHeader awsexamplebucket1.s3.us-west-1.amazonaws.com TLSV1.2\n",
    ),
    (
        "squid",
        "1286536310.085    138 192.168.0.224 TCP_MISS/200 1440 GET http://www.example.com/caf%C3%A9 frank%41 \
         HIER_DIRECT/203.0.113.1 text/html\n",
    ),
    (
        "haproxy",
        "10.0.1.2:33317 [06/Feb/2009:12:14:14.655] http-in static/srv1 10/0/30/69/109 200 2750 - - ---- 1/1/1/1/0 0/0 \
         {1wt.eu%41} {} \"GET /caf%C3%A9 HTTP/1.1\"\n",
    ),
    (
        "envoy",
        "[2016-04-15T20:17:00.310Z] \"POST /caf%C3%A9 HTTP/2\" 204 - 154 0 226 100 \"10.0.35.28\" \"nsq2http%41\" \
         \"cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2\" \"locations\" \"tcp://10.0.2.1:80\"\n",
    ),
    (
        "nginx-error",
        "2024/01/02 03:04:05 [error] 12#12: *1 open() \"/srv/x%41\" failed (2: No such file or directory), client: 192.0.2.1, \
         server: example.com, request: \"GET /caf%C3%A9 HTTP/1.1\", host: \"example.com\", referrer: \"http://example.com/caf%C3%A9\"\n",
    ),
    (
        "apache-error",
        "[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 35708:tid 4328636416] [client 72.15.99.187:35712] AH00128: File does \
         not exist: /usr/local/apache2/htdocs/x%41, referer: http://example.com/caf%C3%A9\n",
    ),
    (
        "cloudfront",
        "#Version: 1.0\n#Fields: date time x-edge-location sc-bytes c-ip cs-method cs(Host) cs-uri-stem sc-status cs(Referer) \
         cs(User-Agent) cs-uri-query\n2019-12-04\t21:02:31\tLAX1\t392\t192.0.2.100\tGET\td111111abcdef8.cloudfront.net\t\
         /caf%25C3%25A9\t200\thttp://example.com/caf%25C3%25A9\tMozilla\tq=caf%25C3%25A9\n",
    ),
    (
        "w3c",
        "#Software: Microsoft Internet Information Services 10.0\n#Version: 1.0\n#Fields: date time s-ip cs-method cs-uri-stem \
         cs-uri-query s-port cs-username c-ip cs(User-Agent) cs(Referer) sc-status\n2002-05-24 20:18:01 172.224.24.114 GET /x%41 \
         q=caf%C3%A9 80 - 206.73.118.24 Mozilla/4.0 http://example.com/caf%C3%A9 200\n",
    ),
    (
        "zeek",
        "#separator \\x09\n#path\thttp\n#fields\tts\tuid\tid.orig_h\tmethod\thost\turi\treferrer\tuser_agent\tstatus_code\n\
         1311627961.8\tHSH4uV8KVJg\t192.168.1.100\tGET\thost\t/caf%C3%A9\thttp://example.com/caf%C3%A9\tWget%41\t200\n",
    ),
    (
        "urlhaus",
        "################################################################\n# abuse.ch URLhaus Database Dump (CSV - recent URLs only)\
         \n# id,dateadded,url,url_status,last_online,threat,tags,urlhaus_link,reporter\n\"1\",\"2024-01-02 03:04:05\",\
         \"http://192.0.2.1/caf%C3%A9\",\"online\",\"2024-01-02\",\"malware_download\",\"x%41\",\"https://urlhaus.abuse.ch/url/1/\",\
         \"x\"\n",
    ),
    (
        "sitemap",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">\n<url>\
         <loc>http://www.example.com/caf%C3%A9?a=1&amp;b=2</loc><changefreq>x%41</changefreq></url>\n</urlset>\n",
    ),
    (
        "warc",
        "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://www.example.com/caf%C3%A9\r\nWARC-Date: \
         2016-09-19T18:03:53Z\r\nWARC-Record-ID: <urn:uuid:92283950-ef2f-4d72-b224-f54c6ec90bb0>\r\nContent-Length: 31\r\n\r\n\
         WARC-Target-URI: http://h/%41\r\n\r\n\r\n\r\n",
    ),
    (
        "cdx",
        "com,example)/caf%41 20130729195151 http://www.example.com/caf%C3%A9 text/html 200 B2LTWWPUOYAH7UIPQ7ZUPQ4VMBSVC36A - - 6 7 x%41\n",
    ),
    (
        "prefix:ndjson",
        "com,example)/caf%41 20150814195151 {\"url\":\"http://example.com/caf%C3%A9\",\"mime\":\"text/html\",\"status\":\"200\"}\n",
    ),
    (
        "cloudflare",
        "{\"ClientIP\":\"192.0.2.1\",\"ClientRequestHost\":\"example.com\",\"ClientRequestURI\":\"/caf%C3%A9\",\
         \"ClientRequestReferer\":\"http://example.com/caf%C3%A9\",\"ClientRequestUserAgent\":\"x%41\",\"EdgeResponseStatus\":200}\n",
    ),
    (
        "akamai",
        "{\"version\":1,\"cp\":\"123456\",\"cliIP\":\"192.0.2.1\",\"statusCode\":\"206\",\"reqHost\":\"example.com\",\
         \"reqPath\":\"/caf%C3%A9\",\"queryStr\":\"q=caf%C3%A9\",\"UA\":\"x%41\",\"referer\":\"https://example.com/caf%C3%A9\"}\n",
    ),
    (
        "fastly",
        "{\"timestamp\":\"2024-01-02T03:04:05\",\"client_ip\":\"192.0.2.1\",\"host\":\"example.com\",\"url\":\"/caf%C3%A9\",\
         \"request_referer\":\"http://example.com/caf%C3%A9\",\"request_user_agent\":\"x%41\",\"fastly_server\":\"cache-iad\"}\n",
    ),
    (
        "suricata",
        "{\"timestamp\":\"2009-11-24T21:27:09.534255\",\"flow_id\":1,\"event_type\":\"http\",\"src_ip\":\"192.168.2.7\",\
         \"http\":{\"hostname\":\"example.com\",\"url\":\"/caf%C3%A9\",\"http_user_agent\":\"x%41\",\"http_refer\":\
         \"http://example.com/caf%C3%A9\",\"status\":200}}\n",
    ),
    (
        "gcp",
        "{\"httpRequest\":{\"requestMethod\":\"GET\",\"requestUrl\":\"https://example.com/caf%C3%A9\",\"status\":200,\"userAgent\":\
         \"x%41\",\"remoteIp\":\"192.0.2.1\",\"referer\":\"https://example.com/caf%C3%A9\"},\"insertId\":\"1\"}\n",
    ),
    (
        "aws-waf",
        "{\"timestamp\":1576280412771,\"formatVersion\":1,\"webaclId\":\"arn:aws:wafv2:ap-southeast-2:123456789012:regional/webacl/x\",\
         \"action\":\"BLOCK\",\"httpRequest\":{\"clientIp\":\"192.0.2.1\",\"country\":\"AU\",\"headers\":[{\"name\":\"User-Agent\",\
         \"value\":\"x%41\"}],\"uri\":\"/caf%C3%A9\",\"args\":\"q=caf%C3%A9\",\"httpVersion\":\"HTTP/1.1\",\"httpMethod\":\"GET\"}}\n",
    ),
    (
        "azure",
        "{\"category\":\"ApplicationGatewayAccessLog\",\"properties\":{\"clientIP\":\"192.0.2.1\",\"httpMethod\":\"GET\",\
         \"requestUri\":\"/caf%C3%A9\",\"requestQuery\":\"q=caf%C3%A9\",\"userAgent\":\"x%41\",\"httpStatus\":200}}\n",
    ),
    (
        "caddy",
        "{\"level\":\"info\",\"ts\":1646861401.5,\"logger\":\"http.log.access\",\"msg\":\"handled request\",\"request\":\
         {\"remote_ip\":\"127.0.0.1\",\"method\":\"GET\",\"host\":\"localhost\",\"uri\":\"/caf%C3%A9\",\"headers\":{\"User-Agent\":\
         [\"curl/7.82.0 %41\"],\"Referer\":[\"http://example.com/caf%C3%A9\"]}},\"status\":200}\n",
    ),
    (
        "traefik",
        "{\"ClientHost\":\"192.0.2.1\",\"DownstreamStatus\":200,\"RequestHost\":\"example.com\",\"RequestMethod\":\"GET\",\
         \"RequestPath\":\"/caf%C3%A9\",\"request_Referer\":\"http://example.com/caf%C3%A9\",\"request_User-Agent\":\"x%41\"}\n",
    ),
    (
        "envoy-json",
        "{\"authority\":\"example.com\",\"path\":\"/caf%C3%A9\",\"response_code\":200,\"response_flags\":\"-\",\"user_agent\":\"x%41\"}\n",
    ),
    (
        "ndjson",
        "{\"request_uri\":\"/caf%C3%A9\",\"http_referer\":\"http://example.com/caf%C3%A9\",\"agent\":\"x%41\"}\n",
    ),
    ("json", "[\n  {\n    \"url\": \"/caf%C3%A9\",\n    \"agent\": \"x%41\"\n  }\n]\n"),
    (
        "logfmt",
        "ts=2024-01-02T03:04:05Z level=info method=GET path=/caf%C3%A9 referer=\"http://h/caf%C3%A9\" agent=x%41\n",
    ),
    ("tsv", "id\turl\tagent\n1\thttp://example.com/caf%C3%A9\tx%41\n"),
    ("csv", "id,url,agent\n1,http://example.com/caf%C3%A9,x%41\n"),
    ("csv;", "id;url;agent\n1;http://example.com/caf%C3%A9;x%41\n"),
    ("csv|", "id|url|agent\n1|http://example.com/caf%C3%A9|x%41\n"),
    ("text", "http://example.com/caf%C3%A9\nhttps://example.org/caf%C3%A9\n"),
    ("cri:ndjson", "2016-10-06T00:17:09.669794202Z stdout F {\"url\":\"/caf%C3%A9\",\"agent\":\"x%41\"}\n"),
    (
        "docker:ndjson",
        "{\"log\":\"{\\\"url\\\":\\\"/caf%C3%A9\\\",\\\"agent\\\":\\\"x%41\\\"}\\n\",\"stream\":\"stdout\",\"time\":\"2024-01-02T03:04:05Z\"}\n",
    ),
    (
        "journald:logfmt",
        "{\"__CURSOR\":\"s=1\",\"_HOSTNAME\":\"h\",\"MESSAGE\":\"level=info path=/caf%C3%A9 agent=x%41\"}\n",
    ),
    ("compose:ndjson", "app-1  | {\"url\":\"/caf%C3%A9\",\"agent\":\"x%41\"}\n"),
    ("kubectl:ndjson", "[pod/app-7c5d9/app] {\"url\":\"/caf%C3%A9\",\"agent\":\"x%41\"}\n"),
    ("stamp:ndjson", "2016-10-06T00:17:09.669794202Z {\"url\":\"/caf%C3%A9\",\"agent\":\"x%41\"}\n"),
    ("syslog:ndjson", "<34>Oct 11 22:14:15 mymachine app[1]: {\"url\":\"/caf%C3%A9\",\"agent\":\"x%41\"}\n"),
];

/// Returns the decoded sample. Two layers are decoded in samples of CloudFront, because CloudFront adds a layer.
fn expected(sample: &str) -> String {
    sample.replace("caf%25C3%25A9", "café").replace("caf%C3%A9", "café")
}

#[test]
fn samples_are_recognized_and_decoded() {
    let folder = Folder::new();
    for &(name, sample) in SAMPLES {
        let ran = pct(["decode", "--format", name], sample.as_bytes());
        assert_eq!((String::from_utf8(ran.out).unwrap(), ran.code), (expected(sample), Some(0)), "{name}: {}", ran.err);
        assert_eq!(ran.err, "", "{name}");
        let ran = pct(["decode", "--format", "auto"], sample.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), expected(sample), "{name} by auto: {}", ran.err);
        assert_eq!(ran.err, format!("pct: <stdin> is read as {name}\n"));
        let file = folder.file("sample", sample.as_bytes());
        let ran = pct(["formats", file.to_str().unwrap()], b"");
        let out = String::from_utf8(ran.out).unwrap();
        assert!(out.starts_with(&format!("{name}\n")) && out.contains("caf%") && out.contains("café"), "{name}: {out}");
    }
}

/// Every listed format has a sample, except formats that accept any text.
#[test]
fn every_format_has_a_sample() {
    let list = String::from_utf8(pct(["formats"], b"").out).unwrap();
    let names = list.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_lowercase()));
    let names: Vec<&str> = names.map(|line| line.split_whitespace().next().unwrap()).collect();
    assert!(names.len() > 35, "{names:?}");
    for name in names {
        let has_sample = SAMPLES.iter().any(|(known, _)| known.split(':').next() == Some(name) || *known == name);
        let has_sample = has_sample || kinds::has_sample(name);
        assert!(
            has_sample || ["auto", "lines", "words", "urls", "nginx:FORMAT", "apache:FORMAT"].contains(&name),
            "{name}"
        );
    }
}
