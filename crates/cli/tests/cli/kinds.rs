//! Tests logs of frameworks and devices, and exports, as they occur in practice. Some records come from public repositories,
//! shortened and without personal details. We made the others from the documentation of the program.

use crate::hostile::url;
use crate::process;

use percent_simd_oracle::{Random, cases};
use process::{Folder, output, pct};

/// The name that `auto` finds, a log, the fields to cut, and the expected row of each record. Fields with URLs contain
/// `caf%C3%A9`. Other fields, and lines that are no records, contain `%41`, which stays.
type Sample = (&'static str, &'static str, &'static str, &'static [&'static str]);

const REQUESTS: &str = "client,status,target";

const SAMPLES: &[Sample] = &[
    // github.com/encode/uvicorn, and logs in the issues of FastAPI.
    (
        "uvicorn",
        "INFO:     Started server process [14684]\n\
         INFO:     Uvicorn running on http://127.0.0.1:8000/%41 (Press CTRL+C to quit)\n\
         INFO:     192.0.2.1:61570 - \"GET /caf%C3%A9?q=a%20caf%C3%A9 HTTP/1.1\" 200 OK\n\
         INFO:     192.0.2.1:58847 - \"POST /caf%C3%A9 HTTP/1.1\" 401 Unauthorized (invalid credentials)\n",
        REQUESTS,
        &["192.0.2.1:61570\t200\t/café?q=a café", "192.0.2.1:58847\t401\t/café"],
    ),
    (
        "uvicorn",
        "INFO:     ('192.0.2.1', 64435) - \"WebSocket /api/ws/caf%C3%A9\" [accepted]\nINFO:     connection open\n",
        "target",
        &["/api/ws/café"],
    ),
    (
        "logger:uvicorn",
        "[2023-01-02 03:04:05 +0000] [7] [INFO] Booting worker %41\n\
         [2023-01-02 03:04:06 +0000] [7] [INFO] 192.0.2.1:61570 - \"GET /caf%C3%A9 HTTP/1.1\" 200\n",
        REQUESTS,
        &["192.0.2.1:61570\t200\t/café"],
    ),
    (
        "logger:uvicorn",
        "2023-01-02 03:04:05,678 - uvicorn.access - INFO - 192.0.2.1:61570 - \"GET /caf%C3%A9 HTTP/1.1\" 200\n",
        REQUESTS,
        &["192.0.2.1:61570\t200\t/café"],
    ),
    // docs.gunicorn.org, access_log_format.
    (
        "combined",
        "192.0.2.1 - - [02/Mar/2023:08:14:09 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 5 \"http://h/caf%C3%A9\" \"curl/7 %41\"\n",
        REQUESTS,
        &["192.0.2.1\t200\t/café"],
    ),
    // github.com/crowdsecurity/hub, .tests. Gin writes the path decoded, so the client has escaped this `%41` twice.
    (
        "gin",
        "[GIN-debug] GET    /client                 --> main.x (3 handlers)\n\
         [GIN] 2022/02/07 - 10:49:33 | 401 |     505.317µs |       192.0.2.1 | POST     \"/x%41?q=caf%C3%A9&r=?\"\n\
         [GIN] 2022/02/07 - 10:49:34 | 200 |         135ns |             ::1 | GET      \"/%41\"\n",
        "client,status,query",
        &["192.0.2.1\t401\tq=café&r=?", "::1\t200\t"],
    ),
    (
        "compose:gin",
        "app-1  | [GIN] 2023/05/10 - 04:35:23 | 200 |  1.5ms |  192.0.2.1 | GET  \"/p?caf%C3%A9\"\n",
        "path,query",
        &["/p\tcafé"],
    ),
    // github.com/rails/rails/pull/22949
    (
        "rails",
        "Started GET \"/caf%C3%A9?q=1\" for 192.0.2.1 at 2016-01-06 20:30:21 +0000\n\
         Processing by WelcomeController#index as HTML\n  Parameters: {\"q\"=>\"%41\"}\n\
         Redirected to http://h/caf%C3%A9\nCompleted 302 Found in 5ms (Views: 3.8ms | ActiveRecord: 0.0ms)\n\n\n",
        "client,target,location",
        &["192.0.2.1\t/café?q=1\t", "\t\thttp://h/café"],
    ),
    (
        "logger:rails",
        "[c6034478-4026-4ded-9e3c-088c76d056f1] Started GET \"/caf%C3%A9\" for 192.0.2.1 at 2016-01-06 20:30:21 +0000\n\
         [c6034478-4026-4ded-9e3c-088c76d056f1]   Rendered welcome/%41.html.erb within layouts/application (0.1ms)\n",
        "client,target",
        &["192.0.2.1\t/café"],
    ),
    (
        "logger:rails",
        "I, [2018-01-02T03:04:05.678901 #12]  INFO -- : [8c9a41] Started GET \"/caf%C3%A9\" for ::1 at 2018-01-02 03:04:05 +0000\n",
        "client,target",
        &["::1\t/café"],
    ),
    // docs.djangoproject.com, tutorial; and its logger `django.server` with Django's `verbose` formatter.
    (
        "django",
        "Watching for file changes with StatReloader\n[02/Mar/2023 08:14:09] \"GET /caf%C3%A9?a=1 HTTP/1.1\" 200 1234\n\
         Not Found: /%41\n[02/Mar/2023 08:14:10] \"GET /b HTTP/1.1\" 404 12\n",
        "status,target",
        &["200\t/café?a=1", "404\t/b"],
    ),
    (
        "logger:django",
        "INFO 2023-03-02 08:14:09,123 basehttp 12 140123 \"GET /caf%C3%A9 HTTP/1.1\" 200 1234\n",
        "status,target",
        &["200\t/café"],
    ),
    // Flask, with Python's basic configuration of logging.
    (
        "logger:clf",
        "INFO:werkzeug:192.0.2.1 - - [02/Mar/2023 08:14:09] \"GET /caf%C3%A9 HTTP/1.1\" 200 -\n",
        REQUESTS,
        &["192.0.2.1\t200\t/café"],
    ),
    // uwsgi-docs, LogFormat.
    (
        "uwsgi",
        "*** Starting uWSGI 2.0.21 (64bit) ***\n[pid: 7|app: 0|req: 1/12] 192.0.2.1 () {40 vars in 621 bytes} \
         [Thu Mar  2 08:14:09 2023] GET /caf%C3%A9?x=1 => generated 123 bytes in 3 msecs (HTTP/1.1 200) 2 headers in 79 bytes (1 switches on core 0)\n",
        REQUESTS,
        &["192.0.2.1\t200\t/café?x=1"],
    ),
    // github.com/expressjs/morgan, README.
    (
        "morgan",
        "listening on 3000\n\u{1B}[0mGET /caf%C3%A9 \u{1B}[32m200 \u{1B}[0m12.345 ms - 2\u{1B}[0m\n\
         \u{1B}[0mGET /caf%C3%A9 \u{1B}[36m304\u{1B}[0m 1.345 ms - -\u{1B}[0m\n",
        "status,target",
        &["200\t/café", "304\t/café"],
    ),
    (
        "morgan",
        "GET /caf%C3%A9 200 12.3 ms - 123\nPOST /b 201 - - 1.2 ms\n",
        "status,target",
        &["200\t/café", "201\t/b"],
    ),
    ("morgan", "::1 - GET /caf%C3%A9 HTTP/1.1 200 13 - 1.2 ms\n", REQUESTS, &["::1\t200\t/café"]),
    // php-src, sapi/cli/php_cli_server.c.
    (
        "php",
        "[Thu Mar  2 08:14:09 2023] PHP 8.2.3 Development Server (http://localhost:8000/%41) started\n\
         [Thu Mar  2 08:14:10 2023] 127.0.0.1:50412 Accepted\n\
         [Thu Mar  2 08:14:10 2023] 127.0.0.1:50412 [200]: GET /index.php?q=caf%C3%A9\n\
         [Thu Mar  2 08:14:11 2023] [::1]:50413 [404]: GET /caf%C3%A9 - No such file or directory\n\
         [Thu Mar  2 08:14:12 2023] 127.0.0.1:50414 [200]: /caf%C3%A9\n",
        REQUESTS,
        &["127.0.0.1:50412\t200\t/index.php?q=café", "[::1]:50413\t404\t/café", "127.0.0.1:50414\t200\t/café"],
    ),
    // github.com/go-chi/chi, middleware/logger.go.
    (
        "logger:chi",
        "2023/03/02 08:14:08 listening on http://localhost:3000/%41\n\
         2023/03/02 08:14:09 \"GET http://localhost:3000/caf%C3%A9 HTTP/1.1\" from 127.0.0.1:40312 - 200 12B in 21.1µs\n\
         2023/03/02 08:14:10 [web-1/x-000002] \"GET http://localhost:3000/caf%C3%A9 HTTP/1.1\" from [::1]:40313 - 404 0B in 1.5ms\n",
        REQUESTS,
        &["127.0.0.1:40312\t200\thttp://localhost:3000/café", "[::1]:40313\t404\thttp://localhost:3000/café"],
    ),
    // github.com/phoenixframework/phoenix, lib/phoenix/logger.ex.
    (
        "phoenix",
        "08:14:08.120 [info] Running WebWeb.Endpoint at http://localhost:4000/%41\n\
         08:14:09.123 [info] GET /caf%C3%A9\n08:14:09.125 [info] Sent 200 in 2ms\n\
         08:14:10.123 request_id=F5x [info] POST /caf%C3%A9\n",
        "target",
        &["/café", "/café"],
    ),
    // github.com/koajs/logger and github.com/honojs/hono, middleware/logger.
    (
        "koa",
        "  <-- GET /%41\n  --> GET /caf%C3%A9 200 12ms 1.2kb\n  xxx POST /caf%C3%A9 500 3ms -\n\
         --> GET /caf%C3%A9 200 1ms\n--> GET /caf%C3%A9 \u{1B}[32m200\u{1B}[0m 1ms\n",
        "status,target",
        &["200\t/café", "500\t/café", "200\t/café", "200\t/café"],
    ),
    // github.com/dotnet/aspnetcore, src/Hosting, `HostingRequestStartingLog`.
    (
        "aspnet",
        "info: Microsoft.AspNetCore.Hosting.Diagnostics[1]\n      Request starting HTTP/2 GET https://h/%41?q=caf%C3%A9 - null null\n\
         \x20     Request starting HTTP/1.1 GET http://h/%41?q=caf%C3%A9 - -\n\
         \x20     Request starting HTTP/1.1 POST http://h/%41?q=caf%C3%A9 application/json; charset=utf-8 12\n\
         \x20     Request starting HTTP/1.1 GET http://h/%41?q=caf%C3%A9  \n\
         \x20     Request starting HTTP/1.1 POST http://h/%41 b - application/grpc -\n\
         \x20     Request starting HTTP/1.1 GET http://h/%41 - -\n",
        "query,path",
        &[
            "q=café\thttps://h/A", "q=café\thttp://h/A", "q=café\thttp://h/A", "q=café\thttp://h/A", "\thttp://h/A b",
            "\thttp://h/A",
        ],
    ),
    // Confluence's server.xml, and public write-ups of incidents.
    (
        "confluence",
        "[21/Feb/2024:05:35:37 +0000] - http-nio-8090-exec-1 192.0.2.17 POST /caf%C3%A9?q=a HTTP/1.1 200 225ms 7952 - curl/7 %41\n\
         [21/Feb/2024:05:35:38 +0000] jdoe http-nio-8090-exec-4 192.0.2.18 GET /caf%C3%A9 HTTP/1.1 304 3ms - http://h/caf%C3%A9 x (%41)\n",
        "client,status,target,referrer",
        &["192.0.2.17\t200\t/café?q=a\t-", "192.0.2.18\t304\t/café\thttp://h/café"],
    ),
    // Confluence 7.11 and Jira 9.4, with the forwarded client.
    (
        "confluence",
        "[17/Jun/2021:12:57:26 +0200] 192.0.2.15 jdoe http-nio-8080-exec-6 ::1 GET /caf%C3%A9 HTTP/1.1 200 1020ms 7881 http://h/caf%C3%A9 x (%41)\n",
        "client,status,target,referrer",
        &["::1\t200\t/café\thttp://h/café"],
    ),
    // github.com/OJ/gobuster, results of the mode `dir`.
    (
        "gobuster",
        "===============================================================\n[+] Url: http://h/%41\n\
         /caf%C3%A9            (Status: 301) [Size: 316] [--> http://h/caf%C3%A9/]\n\
         index.html            (Status: 200) [Size: 10918]\n/.git   (Status: 403)\n",
        "status,uri,location",
        &["301\t/café\thttp://h/café/", "200\tindex.html\t", "403\t/.git\t"],
    ),
    // privoxy.org, the user manual, and public notes on its log.
    (
        "privoxy",
        "2018-07-14 12:15:07.955 7f0f23f080c0 Connect: Accepted connection from 192.0.2.1 on socket 5 %41\n\
         2018-07-14 12:15:07.956 7f0f2308d700 Request: h.example/caf%C3%A9?q=a\n\
         2018-07-14 12:15:08.956 7f0f2308d700 Crunch: Blocked: h.example/caf%C3%A9\n",
        "uri",
        &["h.example/café?q=a", "h.example/café"],
    ),
    // apt-cacher-ng, its transfer log.
    (
        "apt-cacher",
        "1581754659|I|242396|192.0.2.1|uburep/dists/caf%C3%A9/InRelease\n\
         1581754660|E|558|192.0.2.1|h.example/caf%C3%A9 [HTTP error, code: 404]\n",
        "client,uri",
        &["192.0.2.1\tuburep/dists/café/InRelease", "192.0.2.1\th.example/café"],
    ),
    // docs.suricata.io, http.log.
    (
        "suricata-http",
        "07/01/2014-04:20:14.338309 h%41 [**] /caf%C3%A9 [**] x (%41) [**] 192.0.2.6:64685 -> 192.0.2.67:80\n\
         07/01/2014-04:20:15.338309 <hostname unknown> [**] /caf%C3%A9 [**] x [**] http://h/caf%C3%A9 [**] GET [**] HTTP/1.1 [**] 200 [**] 239 bytes [**] 192.0.2.6:64685 -> 192.0.2.67:80\n\
         07/01/2014-04:20:16.338309 h [**] / [**] x [**] <no referer> [**] GET [**] HTTP/1.1 [**] 301 => http://h/caf%C3%A9 [**] 239 bytes [**] 192.0.2.6:64685 -> 192.0.2.67:80\n",
        "client,status,target,location",
        &["192.0.2.6:64685\t\t/café\t", "192.0.2.6:64685\t200\t/café\t", "192.0.2.6:64685\t301\t/\thttp://h/café"],
    ),
    // GNU Wget, src/retr.c and http.c.
    (
        "wget",
        "--2015-01-08 14:42:15--  http://h/caf%C3%A9\nResolving h (h)... 192.0.2.18\n\
         HTTP request sent, awaiting response... 302 Found\nLocation: http://h/caf%C3%A9?t=1 [following]\n\
         --2015-01-08 14:42:16--  http://h/caf%C3%A9?t=1\nSaving to: \u{2018}%41\u{2019}\n\n     0K ..........  0%  332K 26m\n",
        "url,location",
        &["http://h/café\t", "\thttp://h/café?t=1", "http://h/café?t=1\t"],
    ),
    // curl.se, the option -v.
    (
        "curl",
        "*   Trying 192.0.2.4:80...\n* Connected to h (192.0.2.4) port 80\n> GET /caf%C3%A9 HTTP/1.1\n> Host: h\n> Cookie: a=%41\n>\n\
         < HTTP/1.1 301 Moved Permanently\n< location: http://h/caf%C3%A9\n<\n* Connection #0 to host h left intact\n",
        "target,location",
        &["/café\t", "\thttp://h/café"],
    ),
    // github.com/go-gitea/gitea, modules/web/routing/logger.go.
    (
        "gitea",
        "2026/07/10 10:43:23 ...eb/routing/logger.go:68:func1() [I] router: started GET /%41 for 192.0.2.1:45192\n\
         2026/07/10 10:43:24 ...eb/routing/logger.go:102:func1() [I] router: completed GET /caf%C3%A9 for 192.0.2.1:45192, 200 OK in 1.5ms @ repo/view.go:67(repo.Home)\n\
         2026/07/10 10:43:25 HTTPRequest [I] router: completed GET /caf%C3%A9 for 192.0.2.1:45192, 206 Partial Content in 1.5ms\n",
        REQUESTS,
        &["192.0.2.1:45192\t200\t/café", "192.0.2.1:45192\t206\t/café"],
    ),
    // github.com/scrapy/scrapy, logformatter.py.
    (
        "logger:scrapy",
        "2022-02-28 12:54:26 [scrapy.core.engine] INFO: Spider opened %41\n\
         2022-02-28 12:54:28 [scrapy.core.engine] DEBUG: Crawled (404) <GET http://h/caf%C3%A9> (referer: None)\n\
         2022-02-28 12:54:30 [scrapy.core.engine] DEBUG: Crawled (200) <GET http://h/caf%C3%A9> (referer: http://h/caf%C3%A9) ['cached']\n\
         2022-02-28 12:54:30 [scrapy.core.engine] DEBUG: Crawled (200) <GET http://h/caf%C3%A9 via http://p/%41> (referer: None)\n\
         2022-02-28 12:54:31 [scrapy.downloadermiddlewares.redirect] DEBUG: Redirecting (301) to <GET http://h/x> from <GET http://h/caf%C3%A9>\n",
        "status,url,referrer",
        &["404\thttp://h/café\t", "200\thttp://h/café\thttp://h/café", "200\thttp://h/café\t", "\thttp://h/café\t"],
    ),
    // github.com/oauth2-proxy/oauth2-proxy, pkg/logger.
    (
        "oauth2-proxy",
        "192.0.2.3:40120 - 566c794c-d15b - - [2023/08/31 03:29:38] h GET - \"/caf%C3%A9?s=a\" HTTP/1.0 \"x (%41)\" 302 24 0.381\n\
         [2023/08/31 03:29:39] [oauthproxy.go:830] Error %41\n\
         192.0.2.3:40120 - a@h [2021/01/23 17:28:32] h GET static://202 \"/caf%C3%A9\" HTTP/1.1 \"x\" 202 0 0.001\n",
        REQUESTS,
        &["192.0.2.3:40120\t302\t/café?s=a", "192.0.2.3:40120\t202\t/café"],
    ),
    // Colors. Gin writes the path decoded, so the client has escaped this `%41` twice.
    (
        "ansi:gin",
        "[GIN] 2023/01/02 - 03:04:05 |\x1B[97;42m 200 \x1B[0m|     120.1µs |       192.0.2.1 |\x1B[97;44m GET     \x1B[0m \"/x%41?q=caf%C3%A9\"\n\
         [GIN] 2023/01/02 - 03:04:06 |\x1B[97;43m 404 \x1B[0m|       1.1µs |       192.0.2.1 |\x1B[97;44m GET     \x1B[0m \"/y?q=caf%C3%A9\"\n",
        "client,status,query",
        &["192.0.2.1\t200\tq=café", "192.0.2.1\t404\tq=café"],
    ),
    (
        "ansi:rocket",
        "\x1B[32mGET\x1B[0m \x1B[34m/caf%C3%A9\x1B[0m text/html:\n   \x1B[34m>>\x1B[0m \x1B[36mMatched:\x1B[0m (a) GET /%41?<name>\n",
        "target",
        &["/café"],
    ),
    (
        "ansi:uvicorn",
        "\x1B[32mINFO\x1B[0m:     127.0.0.1:5 - \"\x1B[1mGET /caf%C3%A9 HTTP/1.1\x1B[0m\" \x1B[32m200 OK\x1B[0m\n",
        REQUESTS,
        &["127.0.0.1:5\t200\t/café"],
    ),
    // github.com/rwf2/Rocket, core/lib/src/request, `Display`, and the prefix of Vaultwarden.
    (
        "rocket",
        "   >> (a) GET /%41?<name>\nGET /caf%C3%A9 text/html:\n   >> Matched: (a) GET /%41?<name>\n\
         POST /caf%C3%A9:x:\n   => Outcome: Success\n\
         [2026-09-10 09:32:51.055][request][INFO] GET /caf%C3%A9\n\
         [2026-09-10 09:32:51.055][response][INFO] (a) GET /%41/<id> => 200 OK\n",
        "target",
        &["/café", "/café:x", "/café"],
    ),
    // github.com/tornadoweb/tornado, log.py and web.py; github.com/jupyter-server/jupyter_server, log.py.
    (
        "logger:tornado",
        "[I 230302 08:14:09 web:2271] 200 GET /caf%C3%A9 (127.0.0.1) 1.23ms\n\
         [I 2023-03-02 08:14:09.001 ServerApp] Serving /%41 (twice to skip).\n\
         [W 2023-03-02 08:14:09.123 ServerApp] 401 POST /login?next=caf%C3%A9 (@192.0.2.1) 0.98ms referer=http://h/caf%C3%A9\n\
         WARNING:tornado.access:404 GET /caf%C3%A9 (::1) 0.38ms\n",
        "client,status,target,referrer",
        &["127.0.0.1\t200\t/café\t", "192.0.2.1\t401\t/login?next=café\thttp://h/café", "::1\t404\t/café\t"],
    ),
    // github.com/actix/actix-web, middleware/logger.rs; github.com/seanmonstar/warp, filters/log.rs.
    (
        "logger:actix",
        "[2023-03-02T08:14:09Z INFO actix_web::middleware::logger] 192.0.2.1:5 \"GET /caf%C3%A9 HTTP/1.1\" 200 14 \"http://h/caf%C3%A9\" \"%41\" 0.023529\n\
         2023-03-02T08:14:09.123456Z  INFO actix_web::middleware::logger: 192.0.2.1 \"PUT /caf%C3%A9 HTTP/1.1\" 200 92 \"-\" \"x\" 0.015538\n\
         2023-03-02T08:14:09.123456Z  WARN storage: slow %41\n\
         2023-03-02T08:14:09.123456Z  INFO warp: 192.0.2.1:5 \"GET /caf%C3%A9 HTTP/1.1\" 200 \"-\" \"x\" 53.2\u{B5}s\n",
        "client,status,target,referrer",
        &["192.0.2.1:5\t200\t/café\thttp://h/café", "192.0.2.1\t200\t/café\t-", "192.0.2.1:5\t200\t/café\t-"],
    ),
    // github.com/tower-rs/tower-http, trace/make_span.rs.
    (
        "logger:tower",
        "2023-03-02T08:14:09.123456Z DEBUG request{method=GET uri=/caf%C3%A9 version=HTTP/1.1}: tower_http::trace::on_request: started %41\n\
         2023-03-02T08:14:09.123456Z  INFO request{method=POST uri=http://h/caf%C3%A9}: server: x\n\
         2023-03-02T08:14:09.123456Z  INFO server: listening on %41\n",
        "target",
        &["/café", "http://h/café"],
    ),
    // github.com/django/daphne, management/commands/runserver.py.
    (
        "logger:daphne",
        "[2017/10/30 16:25:40] HTTP GET /caf%C3%A9 200 [0.05, 192.0.2.1:47778]\n\
         [2017/10/30 16:25:41] WebSocket CONNECT /caf%C3%A9 [192.0.2.1:47780]\nWatching for %41\n",
        REQUESTS,
        &["192.0.2.1:47778\t200\t/café", "192.0.2.1:47780\t\t/café"],
    ),
    // github.com/spring-projects/spring-framework, `DispatcherServlet.logRequest`.
    (
        "logger:spring",
        "2021-06-04 15:46:48.714 DEBUG 15378 --- [nio-8080-exec-6] o.s.web.servlet.DispatcherServlet        : GET \"/caf%C3%A9\", parameters={masked}\n\
         2021-06-04 15:46:48.714 DEBUG 15378 --- [nio-8080-exec-6] o.s.web.servlet.DispatcherServlet        : Completed %41\n\
         2021-06-04 15:46:48.714 DEBUG 15378 --- [           main] o.s.web.servlet.DispatcherServlet        : \"ERROR\" dispatch for GET \"/caf%C3%A9\", parameters={}\n",
        "target",
        &["/café", "/café"],
    ),
    // github.com/apache/solr, `SolrCore`.
    (
        "solr",
        "2016-01-18 06:27:31.343 INFO  (qtp13-35) [   x:c1] o.a.s.c.S.Request [c1]  webapp=/solr path=/select params={q=caf%C3%A9&fq=a:b} hits=0 status=0 QTime=6\n\
         2016-01-18 06:27:31.343 INFO  (qtp13-35) [   x:c1] o.a.s.c.SolrCore %41\n",
        "query,path",
        &["q=café&fq=a:b\t/select"],
    ),
    // RFC 3164 4.3.2: only a priority before the message.
    (
        "syslog:logfmt",
        "<134>id=firewall sn=1 time=\"2016-06-16 17:21:40 UTC\" dstname=h url=/caf%C3%A9?q=1 code=24\n",
        "url",
        &["/café?q=1"],
    ),
    (
        "phoenix",
        "08:14:09.123 request_id=F5x region=local a=b [info] GET /caf%C3%A9\n08:14:09.125 x [info] Sent 200 in 2ms\n",
        "target",
        &["/café"],
    ),
    // wiki.squid-cache.org, LogFormat, with the referrer and the user agent.
    (
        "squid",
        "1564670112.892   5007 192.0.2.17 TCP_MISS/200 0 GET http://h/caf%C3%A9 - HIER_DIRECT/h - \"http://r/caf%C3%A9\" \"%41\"\n",
        "url,referrer,user-agent",
        &["http://h/café\thttp://r/café\tA"],
    ),
    // hypercorn/logging.py: the version of HTTP is a bare number.
    (
        "logger:combined",
        "[2023-01-10 13:42:03 +0000] [12] [INFO] 192.0.2.1:5555 - - [10/Jan/2023:13:42:03 +0000] \"GET /caf%C3%A9 1.1\" 200 12 \"-\" \"%41\"\n",
        "target",
        &["/café"],
    ),
    // caddyserver.com/docs/caddyfile/directives/log, format console.
    (
        "ansi:prefix:ndjson",
        "2023/03/02 08:14:08.120\tINFO\tserving initial configuration\n\
         2023/03/02 08:14:09.123\tINFO\thttp.log.access.log0\thandled request\t{\"request\": {\"remote_ip\": \"192.0.2.1\", \
         \"method\": \"GET\", \"host\": \"h\", \"uri\": \"/caf%C3%A9\", \"headers\": {}}, \"status\": 200}\n\
         2023/03/02 08:14:09.124\t\u{1B}[34mINFO\u{1B}[0m\thttp.log.access\thandled request\t{\"request\": {\"remote_ip\": \"192.0.2.1\", \
         \"method\": \"GET\", \"host\": \"h\", \"uri\": \"/b?q=caf%C3%A9\", \"headers\": {}}, \"status\": 404}\n",
        "/status,/request/uri",
        &["200\t/café", "404\t/b?q=café"],
    ),
    // github.com/puma/puma, lib/puma/commonlogger.rb; Tomcat and Jetty, whose logs are in the Common Log Format too.
    (
        "clf",
        "192.0.2.1 - - [02/Mar/2023:08:14:09 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 - 0.0123\n",
        REQUESTS,
        &["192.0.2.1\t200\t/café"],
    ),
    (
        "clf",
        "0:0:0:0:0:0:0:1 -  -  [28/Sep/2016:16:46:14 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 7009 \n",
        REQUESTS,
        &["0:0:0:0:0:0:0:1\t200\t/café"],
    ),
    // learn.microsoft.com, IIS log file format. IIS has decoded the path.
    (
        "iis",
        "192.0.2.1, -, 03/20/01, 7:55:20, W3SVC2, SERVER, 192.0.2.9, 4502, 163, 3223, 200, 0, GET, /x%41.gif, q=caf%C3%A9,\n\
         192.0.2.2, ACME\\jo, 03/20/01, 7:55:21, W3SVC2, SERVER, 192.0.2.9, 4502, 163, 3223, 404, 2, GET, /a b, y=caf%C3%A9,\n",
        "client,status,path,query",
        &["192.0.2.1\t200\t/xA.gif\tq=café", "192.0.2.2\t404\t/a b\ty=café"],
    ),
    ("shortcut", "[InternetShortcut]\r\nURL=https://h/caf%C3%A9\r\nIconFile=C:\\x%41\r\n", "url", &["https://h/café"]),
    ("shortcut", "[Desktop Entry]\nType=Link\nName=x%41\nURL=https://h/caf%C3%A9\n", "url", &["https://h/café"]),
    // ltsv.org, and the documentation of fluentd.
    (
        "ltsv",
        "time:28/Feb/2013:12:00:00 +0900\thost:192.0.2.1\treq:GET /caf%C3%A9 HTTP/1.1\tstatus:200\tsize:5316\treferer:http://h/caf%C3%A9\tua:x%41\tvhost:h.example\n",
        "status,req,referer",
        &["200\t/café\thttp://h/café"],
    ),
    (
        "ltsv",
        "remote_host:192.0.2.1\tremote_user:john%41\tdatetime:[12/Mar/2023:10:55:36 +0000]\trequest:GET /caf%C3%A9 HTTP/1.1\tstatus:200\tuser_agent:Mozilla/5.0 (x%41)\n",
        "status,request",
        &["200\t/café"],
    ),
    // github.com/crowdsecurity/hub, and ArcSight's own guide.
    (
        "syslog:cef",
        "Oct 26 20:01:31 Express-7 CEF:0|V\\|x|P|10.0|201|Threat Detected|7|src=192.0.2.1 request=http://h/caf%C3%A9?a=1 requestMethod=GET \
         requestContext=http://r/caf%C3%A9 cs1=x%41 cs1Label=a\\=b msg=Threat %41 blocked.\n",
        "src,request,requestContext,msg",
        &["192.0.2.1\thttp://h/café?a=1\thttp://r/café\tThreat A blocked."],
    ),
    ("cef", "CEF:0|V|P|1|100|x=%41|5|request=/caf%C3%A9 requestMethod=GET\n", "request", &["/café"]),
    // ibm.com/docs, LEEF event components.
    (
        "leef",
        "LEEF:1.0|V|P|1.0|100|src=192.0.2.1\turl=http://h/caf%C3%A9?a=1\tusrName=x%41\n",
        "src,url",
        &["192.0.2.1\thttp://h/café?a=1"],
    ),
    (
        "syslog:leef",
        "<13>Jan 18 11:07:53 192.0.2.9 LEEF:2.0|V|P|1.0|41|^|src=192.0.2.1^url=http://h/caf%C3%A9?%5E%20^usrName=x%41\n\
         <13>Jan 18 11:07:54 192.0.2.9 LEEF:2.0|V|P|1.0|41|src=192.0.2.1\turl=/caf%C3%A9\n\
         <13>Jan 18 11:07:54 192.0.2.9 LEEF:2.0|V|P|1.0|41|x5E|src=192.0.2.1^url=/caf%C3%A9\n",
        "src,url.path",
        &["192.0.2.1\t/café", "192.0.2.1\t/café", "192.0.2.1\t/café"],
    ),
    // PAN-OS writes bars between the pairs. Forcepoint writes escapes of CEF.
    (
        "leef",
        "LEEF:1.0|V|PAN-OS|9.1|url(9999)|cat=x%41|src=192.0.2.1|usrName=|Miscellaneous=\"h.example/caf%C3%A9?a=1%7C\"|sev=1\n",
        "src,Miscellaneous",
        &["192.0.2.1\th.example/café?a=1|"],
    ),
    (
        "leef",
        "LEEF:1.0|V|P|8.5|x:y|src=192.0.2.1\turl=http://h/caf%C3%A9;a\\=1;b\\=%7C\tx=%41\n",
        "src,url",
        &["192.0.2.1\thttp://h/café;a=1;b=|"],
    ),
    // In rsyslog, a tab is `#011`. Other programs write it as a blank. McAfee Web Gateway writes bars.
    (
        "syslog:leef",
        "<13>Jan 18 11:07:53 x LEEF:1.0|V|P|1.0|41|src=192.0.2.1#011url=http://h/caf%C3%A9#011usrName=x y\n\
         <13>Jan 18 11:07:54 x LEEF:1.0|V|P|1.0|41|src=192.0.2.1 url=http://h/caf%C3%A9 usrName=x y\n\
         <13>Jan 18 11:07:54 x LEEF: 1.0|V|P|1.0|41|src=192.0.2.1#011url=http://h/caf%C3%A9\\=#011usrName=x y\n",
        "src,url",
        &["192.0.2.1\thttp://h/café", "192.0.2.1\thttp://h/café", "192.0.2.1\thttp://h/café="],
    ),
    (
        "syslog:ltsv",
        "<13>Jan 18 11:07:53 h zscalernss: 2021-07-14 10:24:01#011reason=x%41#011url=h.example/caf%C3%A9#011status=200\n",
        "status,url",
        &["200\th.example/café"],
    ),
    (
        "ltsv",
        "McAfeeWG|time_stamp=[01/Jan/2015:02:12:31 +0800]|status_code=301|url=http://h/caf%C3%A9|block_reason=|\n",
        "status_code,url",
        &["301\thttp://h/café"],
    ),
    // Devices write a host, but no name of a program. Heroku writes the length of the message first, and leaves out the
    // structured data.
    (
        "syslog:combined",
        "<190>Mar  5 10:00:01 www.example.com 192.0.2.1 - - [05/Mar/2022:10:00:01 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 12 \"-\" \"%41\"\n",
        REQUESTS,
        &["192.0.2.1\t200\t/café"],
    ),
    (
        "syslog:clf",
        "Mar  5 10:00:01 192.0.2.1 - - [05/Mar/2022:10:00:01 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 12\n",
        REQUESTS,
        &["192.0.2.1\t200\t/café"],
    ),
    (
        "syslog:logfmt",
        "89 <158>1 2016-10-15T08:59:08.723822+00:00 host heroku router - at=info method=GET path=\"/caf%C3%A9\" fwd=192.0.2.1\n",
        "path",
        &["/café"],
    ),
    (
        "syslog:logfmt",
        "2012-10-11T03:47:20+00:00 heroku[router]: at=info method=GET path=/caf%C3%A9 host=h fwd=192.0.2.1 status=200\n",
        "path",
        &["/café"],
    ),
    // Apache's server/protocol.c, and a report in its bug tracker.
    (
        "apache-error",
        "[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 1:tid 4] [client 192.0.2.1:3] AH00126: Invalid URI in request \
         GET /caf%C3%A9/../x HTTP/1.1, referer: http://h/caf%C3%A9\n\
         [Fri Sep 09 10:42:30.902022 2011] [core:error] [pid 1:tid 4] [client 192.0.2.1:3] AH00128: File does not exist: /x%41\n",
        "target,referrer",
        &["/café/../x\thttp://h/café", "\t"],
    ),
    // Messages of its core, mod_auth_basic, mod_authz_core, mod_proxy and mod_rewrite. The last ones name files of the server.
    (
        "apache-error",
        "[Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 1] [client 192.0.2.1:3] AH10244: invalid URI path (/../caf%C3%A9), \
         referer: http://h/caf%C3%A9\n\
         [Fri Sep 09 10:42:29.902022 2011] [core:info] [pid 1] [client 192.0.2.1:3] AH00127: Cannot map GET /caf%C3%A9 HTTP/1.1 to file\n\
         [Fri Sep 09 10:42:29.902022 2011] [auth_basic:error] [pid 1] [client 192.0.2.1:3] AH01617: user x: authentication failure for \
         \"/x y/\": Password Mismatch\n\
         [Fri Sep 09 10:42:29.902022 2011] [auth_basic:error] [pid 1] [client 192.0.2.1:3] AH01618: user x not found: /x y, \
         referer: http://h/\n\
         [Fri Sep 09 10:42:29.902022 2011] [proxy:error] [pid 1] [client 192.0.2.1:3] AH00898: Error reading from remote server \
         returned by /x\n\
         [Fri Sep 09 10:42:29.902022 2011] [proxy:warn] [pid 1] [client 192.0.2.1:3] AH01144: No protocol handler was valid for the URL \
         /x (scheme 'ws').\n\
         [Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 1] [client 192.0.2.1:3] AH00035: access to /x denied (filesystem path \
         '/var/www/x') because search permissions are missing\n\
         [Fri Sep 09 10:42:29.902022 2011] [rewrite:trace2] [pid 1] mod_rewrite.c(491): [remote 192.0.2.1:3] 192.0.2.1 - - [h/sid#1][rid#2] \
         init rewrite engine with requested uri /x\n\
         [Fri Sep 09 10:42:29.902022 2011] [rewrite:trace3] [pid 1] mod_rewrite.c(476): [client 192.0.2.1:3] 192.0.2.1 - - [h/sid#1] \
         applying pattern '.' to uri '/x'\n\
         [Fri Sep 09 10:42:29.902022 2011] [php:error] [pid 1] [client 192.0.2.1:3] x not found: /var/www/x\n\
         [Fri Sep 09 10:42:29.902022 2011] [core:error] [pid 1] [client 192.0.2.1:3] AH00036: access to /x y failed (filesystem path \
         '/var/www/x y')\n\
         [Fri Sep 09 10:42:29.902022 2011] [x:error] [pid 1] [client 192.0.2.1:3] access to memory failed (x), referer: http://h/ not \
         found: /x\n",
        "target,path,referrer",
        &[
            "/../café\t\thttp://h/café", "/café\t\t", "\t/x y/\t", "\t/x y\thttp://h/", "\t/x\t", "\t/x\t", "\t/x\t",
            "\t/x\t", "\t/x\t", "\t\t", "\t/x y\t", "\t\thttp://h/ not found: /x",
        ],
    ),
    // kubernetes.io, auditing.
    (
        "k8s-audit",
        "{\"kind\":\"Event\",\"apiVersion\":\"audit.k8s.io/v1\",\"auditID\":\"x%41\",\"requestURI\":\"/api/v1/exec?command=caf%C3%A9\",\"verb\":\"get\"}\n\
         {\"kind\":\"Event\",\"requestURI\":\"/caf%C3%A9\",\"verb\":\"list\"}\n",
        "/requestURI",
        &["/api/v1/exec?command=café", "/café"],
    ),
    // github.com/elastic/ecs, generated examples; and a record of Filebeat, whose members have names with dots.
    (
        "ecs",
        "{\"@timestamp\":\"2023-03-02T08:14:09Z\",\"ecs\":{\"version\":\"8.0\"},\"url\":{\"original\":\"/caf%C3%A9?q=1\",\"query\":\"q=caf%C3%A9\"},\"user_agent\":{\"original\":\"x%41\"}}\n",
        "/url/original,/url/query",
        &["/café?q=1\tq=café"],
    ),
    (
        "ecs",
        "{\"@timestamp\":\"2023-03-02T08:14:09Z\",\"url.full\":\"http://h/caf%C3%A9\",\"log.level\":\"x%41\"}\n",
        "/url.full",
        &["http://h/café"],
    ),
    // opentelemetry.io, semantic conventions.
    (
        "otel",
        "{\"name\":\"GET\",\"attributes\":{\"http.method\":\"GET\",\"http.target\":\"/caf%C3%A9\",\"http.user_agent\":\"x%41\"}}\n\
         {\"name\":\"GET\",\"attributes\":{\"url.path\":\"/caf%C3%A9\",\"url.query\":\"q=caf%C3%A9\"}}\n",
        "/attributes/http.target,/attributes/url\\.query",
        &["/café\t", "\tq=café"],
    ),
    // github.com/pinojs/pino-http, README, and github.com/trentm/node-bunyan.
    (
        "pino",
        "{\"level\":30,\"time\":1457104311421,\"pid\":7,\"hostname\":\"h\",\"req\":{\"id\":1,\"method\":\"GET\",\"url\":\"/caf%C3%A9\",\"headers\":{\"user-agent\":\"x%41\"}},\"msg\":\"x\"}\n",
        "/req/url",
        &["/café"],
    ),
    (
        "pino",
        "{\"name\":\"app\",\"hostname\":\"h\",\"pid\":7,\"level\":30,\"req\":{\"method\":\"GET\",\"url\":\"/caf%C3%A9\"},\"msg\":\"\",\"time\":\"x%41\",\"v\":0}\n",
        "/req/url",
        &["/café"],
    ),
    // docs.konghq.com, HTTP Log.
    (
        "kong",
        "{\"upstream_uri\":\"/caf%C3%A9\",\"request\":{\"uri\":\"/caf%C3%A9\",\"url\":\"http://h:8000/caf%C3%A9\",\"headers\":{\"user-agent\":\"x%41\"}}}\n",
        "/request/uri,/request/url.host",
        &["/café\th"],
    ),
    // techdocs.akamai.com, SIEM integration.
    (
        "akamai-siem",
        "{\"attackData\":{\"clientIP\":\"192.0.2.1\",\"rules\":\"x%41\"},\"httpMessage\":{\"method\":\"GET\",\"path\":\"/caf%C3%A9\",\"query\":\"q=caf%C3%A9\"}}\n",
        "/httpMessage/path,/httpMessage/query",
        &["/café\tq=café"],
    ),
    // github.com/owasp-modsecurity/ModSecurity, audit_log with JSON.
    (
        "modsecurity",
        "{\"transaction\":{\"client_ip\":\"192.0.2.1\",\"request\":{\"method\":\"GET\",\"uri\":\"/caf%C3%A9\",\"headers\":{\"Referer\":\"http://h/caf%C3%A9\",\"User-Agent\":\"x%41\"}}}}\n",
        "/transaction/request/uri,/transaction/request/headers/Referer",
        &["/café\thttp://h/café"],
    ),
    // github.com/ahmadnassri/har-spec, fixtures.
    (
        "har",
        "{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"x%41\"},\"pages\":[{\"title\":\"entries\"}],\"entries\":[\n  \
         {\"request\":{\"url\":\"http://h/caf%C3%A9\"},\"response\":{\"redirectURL\":\"/caf%C3%A9\",\"content\":{\"text\":\"\\\"entries\\\":[{%41\"}}},\n  \
         {\"request\":{\"url\":\"http://h/b\"},\"response\":{}}\n],\"comment\":\"%41\"}}\n",
        "/log/entries/*/request/url,/response/redirectURL",
        &["http://h/café\t/café", "http://h/b\t"],
    ),
    (
        "har",
        "{\"log\":{\"creator\":{},\"entries\":[{\"request\":{\"url\":\"http://h/caf%C3%A9\"}}]}}",
        "/request/url.path",
        &["/café"],
    ),
    // www.elastic.co, search API.
    (
        "elasticsearch",
        "{\"took\":5,\"hits\":{\"total\":{\"value\":2},\"hits\":[{\"_id\":\"%41\",\"_source\":{\"url\":\"/caf%C3%A9\"}},{\"_id\":\"1\",\"_source\":{\"request\":\"/b?c=d\"}}]}}\n",
        "/_source/url,/hits/hits/*/_source/request",
        &["/café\t", "\t/b?c=d"],
    ),
    // docs.aws.amazon.com, CloudFront, standard logging (v2). The records come without the line that names their
    // columns.
    (
        "cloudfront",
        "2024-03-12\t15:22:28\tCDG50-P2\t703\t192.0.2.4\tGET\td6.cloudfront.net\t/caf%25C3%25A9\t400\t-\tcurl/7\tq=caf%25C3%25A9\t-\tError\tx%41\th.net\thttps\t62\t0.1\n",
        "cs-uri-stem,cs-uri-query",
        &["/café\tq=café"],
    ),
    (
        "cloudfront-json",
        "{\"date\":\"2024-03-12\",\"x-edge-location\":\"CDG50-P2\",\"cs-uri-stem\":\"/caf%25C3%25A9\",\"cs-uri-query\":\"q=caf%25C3%25A9\",\"x-host-header\":\"%41\"}\n",
        "/cs-uri-stem,/cs-uri-query",
        &["/café\tq=café"],
    ),
    // github.com/owasp-modsecurity/ModSecurity, audit log in the native format. The body has a line that looks like a section.
    (
        "modsecurity-audit",
        "--f9b52770-A--\n[29/Oct/2012:23:47:10 --0200] 9ttP2 192.0.2.1 5501 192.0.2.2 80\n--f9b52770-B--\n\
         POST /caf%C3%A9?q=a%20b HTTP/1.1\nHost: h\nReferer: http://h/caf%C3%A9\n\n--f9b52770-C--\n--f9b52771-B--\nGET /%41 HTTP/1.1\n\
         --f9b52770-F--\nHTTP/1.1 302 Found\nLocation: /caf%C3%A9\n\n--f9b52770-H--\nServer: %41\n\n--f9b52770-Z--\n\n",
        "client,host,status,target,referrer,location",
        &["192.0.2.1\th\t302\t/café?q=a b\thttp://h/café\t/café"],
    ),
    // opentelemetry.io, OTLP in JSON; and an export of Jaeger.
    (
        "otlp",
        "{\"resourceSpans\":[{\"scopeSpans\":[{\"spans\":[{\"attributes\":[{\"key\":\"http.target\",\"value\":{\"stringValue\":\"/caf%C3%A9\"}},\
         {\"key\":\"user_agent\",\"value\":{\"stringValue\":\"x%41\"}},{\"key\":\"http.status_code\",\"value\":{\"intValue\":\"200\"}}]}]}]}]}\n",
        "http.target,http.status_code",
        &["/café\t200"],
    ),
    (
        "otlp",
        "{\"spans\":[{\"tags\":[\n{\"key\":\"x\",\"type\":\"string\",\"value\":\"x%41\"},\n{\"value\":\"http://h/caf%C3%A9\",\"type\":\"string\",\"key\":\"http.url\"}]}]}\n",
        "http.url",
        &["http://h/café"],
    ),
    // github.com/open-telemetry/opentelemetry-go, the exporter `stdouttrace`.
    (
        "otlp",
        "{\n\t\"Name\": \"x%41\",\n\t\"Attributes\": [\n\t\t{\n\t\t\t\"Key\": \"http.target\",\n\t\t\t\"Value\": {\n\t\t\t\t\"Type\": \"STRING\",\n\
         \t\t\t\t\"Value\": \"/caf%C3%A9\"\n\t\t\t}\n\t\t}\n\t]\n}\n",
        "http.target",
        &["/café"],
    ),
    // zipkin.io, version 1 of its spans.
    (
        "otlp",
        "[{\"traceId\":\"x%41\",\"binaryAnnotations\":[{\"key\":\"http.url\",\"value\":\"http://h/caf%C3%A9\",\"endpoint\":{\"ipv4\":\"192.0.2.1\"}}]}]\n",
        "http.url",
        &["http://h/café"],
    ),
    // help.zscaler.com, NSS feed output in JSON. Members that are no URLs have escapes, too.
    (
        "zscaler",
        "{\"sourcetype\":\"zscalernss-web\",\"event\":{\"urlcategory\":\"x\",\"location\":\"Road%41Warrior\",\"refererURL\":\"h/caf%C3%A9\",\"url\":\"h/caf%C3%A9?q=1\"}}\n",
        "/event/url,/event/refererURL",
        &["h/café?q=1\th/café"],
    ),
    // docs.umbrella.com, proxy logs.
    (
        "umbrella",
        "\"2017-10-02 23:52:53\",\"x%41\",\"192.0.2.1\",\"192.0.2.2\",\"192.0.2.3\",\"\",\"ALLOWED\",\"http://h/caf%C3%A9?a=1\",\"http://r/caf%C3%A9\",\"UA\",\"200\"\n",
        "client,verdict,status,url,referer",
        &["192.0.2.1\tALLOWED\t200\thttp://h/café?a=1\thttp://r/café"],
    ),
    // docs.paloaltonetworks.com, threat logs. Records of other types have no URL.
    (
        "syslog:panos",
        "<134>Nov 28 10:00:01 fw1 1,2017/05/30 00:07:23,01606001116,TRAFFIC,end,x%41\n\
         <134>Nov 28 10:00:02 fw1 1,2017/05/30 00:07:24,01606001116,THREAT,url,1,2017/05/30 00:07:24,192.0.2.14,198.51.100.25,,,Rule x%41,user1,,web-browsing,vsys1,a,b,c,d,e,2017/05/30 00:07:24,661375,1,1058,80,0,0,0xb000,tcp,deny,\"h.example/caf%C3%A9?a=1,2\",(9999),malware-sites,x,x,x,x,x,x,x,x,x,x,x,x,UA %41,,,http://r/caf%C3%A9,,x\n",
        "client,action,url,referer",
        &["192.0.2.14\tdeny\th.example/café?a=1,2\thttp://r/café"],
    ),
    // splunk.com, Splunk Add-on for F5 BIG-IP. A comma may be part of a value.
    (
        "syslog:pairs",
        "<134>2019-12-12T15:54:12Z 192.0.2.2,f5_irule=x%41,http_method=GET,http_uri=/caf%C3%A9?a=1,2,http_user_agent=\"UA (KHTML, like %41)\",\
         http_referrer=\"http://r/caf%C3%A9\",http_status=200\n",
        "http_uri,http_referrer,http_status",
        &["/café?a=1,2\thttp://r/café\t200"],
    ),
    // learn.microsoft.com, IIS, logging to Event Tracing for Windows.
    (
        "winevent",
        "<Event xmlns=\"http://schemas.microsoft.com/win/2004/08/events/event\"><System><Computer>x%41</Computer></System>\
         <EventData><Data Name=\"cs-uri-stem\">/x%41</Data><Data Name='cs-uri-query'>a=caf%C3%A9&amp;b</Data>\
         <Data Name=\"csReferer\">http://r/caf%C3%A9</Data><Data Name=\"url\" /><Data Name='url'>/x%41<b/></Data></EventData></Event>\n",
        "cs-uri-query,csReferer",
        &["a=café&b\thttp://r/café"],
    ),
    // docs.bunny.net, CDN logging. `decode` keeps an escaped `|`. `cut` decodes it, because tabs separate its columns.
    (
        "bunny",
        "HIT|200|1507167062421|412|390|192.0.2.1|http://r/caf%C3%A9|https://h.b-cdn.net/caf%C3%A9?q=caf%C3%A9|WA|Mozilla/5.0 %41|322b688bd63fb63f|DE\n\
         -|404|1507167062500|98|390|2001:db8::|-|https://h.b-cdn.net/a%7Ccaf%C3%A9|IQ2|-|x%41|\n",
        "client,status,url,referrer",
        &[
            "192.0.2.1\t200\thttps://h.b-cdn.net/café?q=café\thttp://r/café",
            "2001:db8::\t404\thttps://h.b-cdn.net/a|café\t-",
        ],
    ),
    // ISA Server and TMG: tabs separate the columns, and the user agent has blanks.
    (
        "w3c",
        "#Fields: c-ip\tc-agent\tcs-referred\tcs-uri\tsc-status\n192.0.2.1\tMozilla/4.0 (x %41)\thttp://r/caf%C3%A9\thttp://h/caf%C3%A9?q=a%20b\t200\n",
        "c-ip,cs-uri,sc-status,cs-referred",
        &["192.0.2.1\thttp://h/café?q=a b\t200\thttp://r/café"],
    ),
    // rssboard.org, RFC 4287, opml.org.
    (
        "feed",
        "<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>x%41</title><guid>a%41@h</guid><link>http://h/caf%C3%A9?a=1&amp;b</link>\
         <item><enclosure url=\"http://h/caf%C3%A9?a=1&amp;b\" type=\"x%41\"/></item></channel></rss>\n",
        "link,url",
        &["http://h/café?a=1&b\t", "\thttp://h/café?a=1&b"],
    ),
    (
        "feed",
        "<feed xmlns=\"http://www.w3.org/2005/Atom\">\n  <link rel='self' href='http://h/caf%C3%A9' />\n  <id>x%41</id>\n</feed>\n",
        "link",
        &["http://h/café"],
    ),
    (
        "feed",
        "<?xml version=\"1.0\"?>\n<opml version=\"2.0\"><head><ownerId>http://h/caf%C3%A9</ownerId></head><body>\
         <outline text=\"x%41\" type=\"rss\" xmlUrl=\"http://h/caf%C3%A9\"/><outline type=\"link\" url=\"http://h/x/caf%C3%A9\"/></body></opml>\n",
        "url",
        &["http://h/café", "http://h/café", "http://h/x/café"],
    ),
    // developers.google.com, localized versions of pages, and videos.
    (
        "sitemap",
        "<urlset>\n<url><loc>http://h/caf%C3%A9</loc><xhtml:link rel=\"alternate\" hreflang=\"de\" href=\"http://h/de/caf%C3%A9\"/>\
         <video:video><video:gallery_loc title=\"x%41\">http://h/x/caf%C3%A9</video:gallery_loc></video:video></url>\n</urlset>\n",
        "loc",
        &["http://h/café", "http://h/de/café", "http://h/x/café"],
    ),
    // Reports of Burp Suite and ZAP. The attributes of namespaces are no URLs of the report.
    (
        "xml",
        "<?xml version=\"1.0\"?>\n<issues xmlns=\"http://h/%41\" x:schemaLocation=\"http://h/%41\" burpVersion=\"2\">\n  <issue>\n\
         \x20   <host ip=\"192.0.2.1\">http://h/caf%C3%A9</host>\n    <path><![CDATA[/caf%C3%A9]]></path>\n\
         \x20   <url><![CDATA[http://h/caf%C3%A9?a=1&b=2]]></url>\n    <uri> http://h/caf%C3%A9?a=1&amp;b=2 </uri>\n\
         \x20   <site name='https://h/caf%C3%A9'/>\n    <!-- http://h/%41 -->\n  </issue>\n</issues>\n",
        "url",
        &["http://h/café", "/café", "http://h/café?a=1&b=2", "http://h/café?a=1&b=2", "https://h/café"],
    ),
    // Reports of Nikto. A text that consists of a path is a target if its name or an escape shows it, or in CDATA.
    (
        "xml",
        "<?xml version=\"1.0\"?>\n<r><item><uri><![CDATA[/caf%C3%A9]]></uri><uri>/b</uri></item>\n<a b='/caf%C3%A9/1'/><path>/d</path>\n\
         <path>/etc/caf%C3%A9</path><file>/etc/%41</file><m>/r?u=http://g/caf%C3%A9</m></r>\n",
        "url",
        &["/café", "/b", "/café/1", "/d", "/etc/café", "/r?u=http://g/café"],
    ),
    // Reports of Nmap have URLs only in longer texts and attributes. A text may also come before a start tag, or contain a `>`.
    (
        "xml",
        "<?xml version=\"1.0\"?>\n<r><script output=\"&#xa;  CVE %41&#x9;http://h/caf%C3%A9?a=1&amp;b=2&#xa;\"/>\n\
         <text>%41 &lt;a href=&quot;http://h/caf%C3%A9/1&quot;&gt;</text>\n<p>See http://h/caf%C3%A9/2.<b>%41</b></p>\n\
         <p>%41 > http://h/caf%C3%A9/3 > %41</p>\n<purl>pkg:npm/caf%C3%A9@7</purl>\n</r>\n",
        "url",
        &["http://h/café?a=1&b=2", "http://h/café/1", "http://h/café/2", "http://h/café/3", "pkg:npm/café@7"],
    ),
    // The header of syslog with a single digit and one blank.
    (
        "syslog:combined",
        "Oct 6 14:03:23 h nginx: 192.0.2.1 - - [06/Oct/2014:14:03:23 +0000] \"GET /caf%C3%A9 HTTP/1.1\" 200 5 \"-\" \"curl/7 %41\"\n",
        REQUESTS,
        &["192.0.2.1\t200\t/café"],
    ),
    // Reports of Dastardly, in the syntax of JUnit. CDATA has prose with URLs and requests, which may contain HTML.
    (
        "xml",
        "<?xml version=\"1.0\"?>\n<testsuites xmlns:a=\"http://h/%41\"><testsuite name=\"https://h/caf%C3%A9?a=1&amp;b\"><failure><![CDATA[\nHost %41: \
         https://h/caf%C3%A9&b.\n\nGET /caf%C3%A9?a=1&b HTTP/2\n\n<html>\n]]></failure></testsuite></testsuites>\n",
        "url",
        &["https://h/café?a=1&b", "https://h/café&b", "/café?a=1&b"],
    ),
    // help.zscaler.com, NSS feeds for Splunk.
    (
        "ltsv",
        "2026-11-28 10:00:01\treason=Allowed\trefererURL=http://h/caf%C3%A9\tuseragent=x %41\turl=h/caf%C3%A9?a=b\n\
         \treason=Allowed\trefererURL=None\tuseragent=x\turl=h\n",
        "url,refererURL",
        &["h/café?a=b\thttp://h/café", "h\tNone"],
    ),
    // Devices that write a blank after the priority.
    (
        "syslog:cef",
        "<134> Nov 28 10:00:01 gw1 CEF:0|V|P|1|100|x|5|src=192.0.2.1 request=http://h/caf%C3%A9 msg=%41\n",
        "request",
        &["http://h/café"],
    ),
    // learn.microsoft.com, Netscape Bookmark File Format; an export of a browser.
    (
        "bookmarks",
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n    <DT><A HREF=\"https://h/caf%C3%A9?a=1&b=%22%26\" ADD_DATE=\"1\">x%41</A>\n\
         <DT><a add_date=1 href=\"%41\">x</a>\n</DL><p>\n",
        "href.host",
        &["h"],
    ),
];

/// Returns true if one of the samples is in the format or the envelope `name`.
pub fn has_sample(name: &str) -> bool {
    SAMPLES.iter().any(|(known, ..)| known.split(':').any(|part| part == name))
}

/// Returns the log with its URLs decoded. Two layers are decoded in logs of CloudFront, because CloudFront adds a
/// layer.
fn decoded(log: &str) -> String {
    log.replace("caf%25C3%25A9", "café").replace("caf%C3%A9", "café")
}

#[test]
fn samples_are_recognized_and_read_right() {
    for &(name, log, fields, rows) in SAMPLES {
        let ran = pct(["decode", "--format", "auto", "--strict-format"], log.as_bytes());
        let out = String::from_utf8(ran.out).unwrap();
        // Some samples have a URL between the requests, and it is reported.
        let told: Vec<&str> = ran.err.lines().filter(|line| !line.contains("URLs outside of the fields")).collect();
        assert_eq!((told, ran.code), (vec![format!("pct: <stdin> is read as {name}").as_str()], Some(0)), "{out}");
        assert_eq!(out, decoded(log), "{name}");
        let ran = pct(["cut", "--format", name, "--strict-format", "--no-header", "-f", fields], log.as_bytes());
        assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)), "{name}");
        let expected: String = rows.iter().map(|row| format!("{row}\n")).collect();
        assert_eq!(String::from_utf8(ran.out).unwrap(), expected, "{name}");
        let ran = pct(["stats", "--format", name, "--json"], log.as_bytes());
        assert_eq!((ran.err.as_str(), ran.code), ("", Some(0)), "{name}");
    }
}

/// If a format takes a further field, it must read its records with this field. Otherwise `--to` is refused, before
/// anything is written.
#[test]
fn a_record_with_a_result_is_still_a_record() {
    let takes = |name: &str, log: &str, fields: &str| {
        let cut = |log: &[u8]| pct(["cut", "--format", name, "--strict-format", "--no-header", "-f", fields], log);
        let ran = pct(["decode", "--format", name, "--to", "{}_d"], log.as_bytes());
        if ran.code == Some(2) {
            assert!(ran.out.is_empty() && ran.err.contains("--to can't add"), "{name}: {}", ran.err);
            return false;
        }
        let (before, after) = (cut(log.as_bytes()), cut(&ran.out));
        assert_eq!(before.err, "", "{name}");
        assert_eq!((before.out, ""), (after.out, &*after.err), "{name}: {}", String::from_utf8_lossy(&ran.out));
        true
    };
    for &(name, log, fields, _) in SAMPLES {
        takes(name, log, fields);
    }
    let clf = r#"192.0.2.1 - - [01/Jan/2026:00:00:00 +0000] "GET /%41 HTTP/1.1" 200 1"#;
    let alb = r#"h2 2018-07-02T22:23:00.186641Z app/x/y 192.0.2.1:2817 10.0.0.1:80 0.0 0.0 0.0 200 200 34 366 "GET https://h:443/%41 HTTP/1.1" "x" - - - "-" "-" "-" 0 - "-" "-" "-" "-" "-" "-" "-" - "-" "-" "-""#;
    let cdx = "h)/a 20060101000000 http://h/%41 text/html 200 ABC - - 12 34 f.warc.gz";
    for (name, log, field, is_taken) in [
        ("clf", clf, "target", true),
        ("combined", &format!("{clf} \"-\" \"x\""), "target", true),
        ("alb", alb, "target", true),
        ("cdx", cdx, "original", false),
        ("csv", "url,x\n/%41,1", "url", true),
        ("w3c", "#Fields: date cs-uri-query\n2026-01-01 %41", "cs-uri-query", true),
        ("bunny", "HIT|200|1507167062421|412|390|192.0.2.1|-|https://h/%41|WA|UA|1|DE", "url", false),
        ("nginx:$status \"$request\" $a", "200 \"GET /%41 HTTP/1.1\" 1", "request", true),
        ("nginx:$status $request_uri", "200 /%41", "request_uri", false),
        ("nginx:$request_uri;", "/%41;", "request_uri", false),
    ] {
        assert_eq!(takes(name, &format!("{log}\n"), field), is_taken, "{name}");
        let (header, record) =
            log.rsplit_once('\n').map_or(("", log), |(_, record)| (&log[..log.len() - record.len()], record));
        // A record may end early. Then its results must not get into the place of its missing fields.
        for (end, _) in record.match_indices([' ', ',', '|']) {
            let short = format!("{header}{}\n", &record[..end]);
            let cut = |log: &[u8]| pct(["cut", "--format", name, "--no-header"], log);
            let ran = pct(["decode", "--format", name, "--to", "{}_d"], short.as_bytes());
            if ran.code != Some(2) {
                assert_eq!(
                    cut(short.as_bytes()).out,
                    cut(&ran.out).out,
                    "{name}: {}",
                    String::from_utf8_lossy(&ran.out)
                );
            }
        }
    }
    let ran = pct(["decode", "--format=csv", "--to=d"], b"url,x\n/%41\n/%42,1\n");
    assert_eq!(String::from_utf8(ran.out).unwrap(), "url,x,d\n/%41\n/%42,1,/B\n");
    assert!(ran.err.contains("records with too few fields, "), "{}", ran.err);
}

/// Some programs write bookmarks with references, as HTML asks. Others write them without.
#[test]
fn references_in_bookmarks_are_read_if_there_are_some() {
    let head = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n";
    for (href, decoded, y) in [
        ("http://h/%41?x=1&amp;y=%C3%A9%26", "http://h/A?x=1&amp;y=é&amp;", "é&"),
        ("http://h/?a=1&y=%C3%A9%26&amp", "http://h/?a=1&y=é%26&amp", "é&"),
        ("http://h/?q=&quot;&y=%C3%A9", "http://h/?q=&quot;&y=é", "é"),
        ("http://h/?q=&#34;&#x26;y=%C3%A9%22", "http://h/?q=&quot;&amp;y=é&quot;", "é\""),
    ] {
        let log = format!("{head}<DT><A HREF=\"{href}\" ADD_DATE=\"1\">x&amp;y</A>\n");
        let ran = pct(["decode", "--format", "bookmarks"], log.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), log.replace(href, decoded), "{href}");
        let cut = ["cut", "--format", "bookmarks", "--json", "-f", "href.query.y"];
        let row = format!("{}\n", serde_json::json!({ "href.query.y": y }));
        assert_eq!(String::from_utf8(pct(cut, log.as_bytes()).out).unwrap(), row, "{href}");
    }
}

/// Formats, each with a record that isn't read: a part of the record is forged, or the record can be read in two ways.
const FORGED: &[(&str, &str)] = &[
    ("uvicorn", "INFO:     192.0.2.1:1 - \"GET /%41\" 200 OK HTTP/1.1\" 404 Not Found"),
    ("uvicorn", "INFO:     192.0.2.1:1 - \"GET /%41 HTTP/1.1\" x"),
    ("uvicorn", "INFO:     x y - \"GET /%41 HTTP/1.1\" 200 OK"),
    ("gin", "[GIN] 2022/02/07 - 10:49:33 | 401 | 505µs | 192.0.2.1 | GET \"/x?\" | 1\" q=%41\""),
    ("gin", "[GIN] 2022/02/07 - 10:49:33 | 4010 | 505µs | 192.0.2.1 | GET \"/x?%41\""),
    (
        "rails",
        "Started GET \"/%41\" for 192.0.2.1 at 2016-01-06 20:30:21 +0000\" for 192.0.2.2 at 2016-01-06 20:30:21 +0000",
    ),
    ("rails", "Started GET \"/%41\" for a b at 2016-01-06 20:30:21 +0000"),
    ("django", "[02/Mar/2023 08:14:09] \"GET /%41\" 200 5 HTTP/1.1\" 404 12"),
    ("django", "[02/Mar/2023 08:14:09] \"GET /%41 HTTP/1.1\" 200 1234 x"),
    ("uwsgi", "[pid: 7|app: 0|req: 1/1] 192.0.2.1 () {4 vars in 6 bytes} [x] GET /%41 => generated 1 bytes in 3 msecs"),
    ("php", "[Thu Mar  2 08:14:10 2023] 127.0.0.1:5 [200]: GET /%41 x"),
    ("php", "[Thu Mar  2 08:14:10 2023] 127.0.0.1:5 [2000]: GET /%41"),
    ("chi", "\"GET /%41 HTTP/1.1\" from 192.0.2.1 - 200 12B in"),
    ("chi", "\"GET /%41\" from x y - 200 12B in 1ms"),
    ("phoenix", "08:14:09.123 [info] GET /%41 x"),
    ("koa", "--> GET /%41 b 200 1ms"),
    ("aspnet", "      Request starting HTTP/1.1 GET http://h/?q=\"%41 b"),
    ("rocket", "GET /%41 text/html: x"),
    ("rocket", "GET /%41 text/html"),
    ("tornado", "200 GET /%41 (x y) 1.23ms"),
    ("tornado", "200 GET /%41 x (127.0.0.1) 1.23ms"),
    ("actix", "192.0.2.1 \"GET /%41\" 200 1 \"-\" \"-\" 0.1 HTTP/1.1\" 404 1 \"-\" \"-\" 0.1"),
    ("actix", "192.0.2.1 \"GET /%41 HTTP/1.1\" 200 14 \"a\" \"b\" \"c\" 0.1"),
    ("tower", "request{method=GET uri=/%41 b version=HTTP/1.1}: x"),
    ("daphne", "HTTP GET /%41 b 200 [0.05, 192.0.2.1:47778]"),
    ("daphne", "HTTP GET /%41 200 [0.05, x y]"),
    ("spring", "GET \"/%41 b\", parameters={masked}"),
    ("solr", "x webapp=/solr path=/select params={q=%41} params={q=%42} hits=0"),
    ("confluence", "[21/Feb/2024:05:35:37 +0000] - x-1 192.0.2.17 GET /%41 b HTTP/1.1 200 225ms 7952 - curl/7"),
    ("suricata-http", "07/01/2014-04:20:14.338309 h [**] /%41 [**] x [**] y [**] 192.0.2.6:6 -> 192.0.2.67:80"),
    ("wget", "--x--  http://h/%41"),
    ("curl", "> GET /%41"),
    ("gitea", "2026/07/10 10:43:24 x [I] router: completed GET /%41 b for 192.0.2.1:45192, 200 OK in 1.5ms"),
    ("scrapy", "Crawled (200) <GET http://h/%41> (referer: http://h/> (referer: http://h/%41)"),
    ("oauth2-proxy", "192.0.2.3:4 - - - [2021/01/23 17:28:32] h GET - \"/%41 b\" HTTP/1.1 \"x\" 202 0 0.001"),
    ("privoxy", "2018-07-14 12:15:07.956 7f0f2308d700 Request: h/%41 b"),
    ("apt-cacher", "1581754659|I|242396|192.0.2.1|h/%41 b"),
    ("apt-cacher", "1581754659|I|242396|x y|h/%41"),
    ("gobuster", "/%41 b (Status: 200) [Size: 4]"),
    ("gobuster", "/%41 (Status: 200) (Status: 200) [Size: 4]"),
    // A color in a field.
    ("ansi:phoenix", "[info] GET /%41\x1B[0m%42"),
    ("iis", "192.0.2.1, -, 03/20/01, 7:55:20, W3SVC2, SERVER, 192.0.2.9, 4502, 163, 3223, 200, 0, GET, /x, y, q=%41,"),
    ("ltsv", "req:GET /%41 HTTP/1.1\tx\tstatus:200"),
    ("ltsv", "req:GET /%41 HTTP/1.1\treq:GET /%42 HTTP/1.1"),
    ("cef", "CEF:0|V|P|1|100|x|5|request=/%41 requestClientApplication=x request=/%42"),
    ("cef", "CEF:0|V|P|1|100|request=/%41"),
    ("leef", "LEEF:1.0|V|P|1.0|100|url=/%41\tx%42"),
    ("leef", "LEEF:1.0|V|P|1.0|100|url=/%41\turl=/%42"),
    (
        "apache-error",
        "[Fri Sep 09 10:42:29 2011] [core:error] [client 192.0.2.1:3] AH00126: Invalid URI in request GET /%41",
    ),
    (
        "apache-error",
        "[Fri Sep 09 10:42:29 2011] [core:error] [client 192.0.2.1:3] AH00126: Invalid URI in request GET /%41 HTTP/1.1, HTTP/1.1",
    ),
    // A user name or a path with the text of another message.
    (
        "apache-error",
        "[Fri Sep 09 10:42:29 2011] [core:error] [client 192.0.2.1:3] AH10244: invalid URI path (x invalid URI path (/%41)",
    ),
    (
        "apache-error",
        "[Fri Sep 09 10:42:29 2011] [auth_basic:error] [client 192.0.2.1:3] AH01618: user AH00127: Cannot map /%41 to file not found: /x",
    ),
    ("modsecurity-audit", "GET /%41 HTTP/1.1"),
    ("otlp", "{\"key\":\"http.url\",\"value\":\"/%41\",]}"),
    ("umbrella", "\"2017-10-02 23:52:53\",\"x\",\"1\",\"2\",\"3\",\"\",\"x\",\"http://h/%41\",\"\""),
    // A version with one more cell.
    ("umbrella", "\"2017-10-02 23:52:53\",\"x\",\"y,z\",\"1\",\"2\",\"3\",\"\",\"ALLOWED\",\"http://h/%41\",\"\""),
    ("bunny", "HIT|200|1507167062421|412|390|192.0.2.1|x|http://h/%41|https://h/%41|WA|UA|1|DE"),
    ("bunny", "HIT|200|1507167062421|412|390|192.0.2.1|-|https://h/%41|WA|UA|1"),
    ("panos", "xx,2017/05/30 00:07:24,01606001116,THREAT,url,%41"),
    // Records that are cut off.
    ("panos", "1,2017/05/30 00:07:24,01606001116,THREAT,url,1,2017/05/30 00:07:24,192.0.2.14,198.51.100.25,,,%41"),
    ("panos", "1,2017/05/30 00:07:24,01606001116,THREAT,vulnerability,1,%41"),
    ("panos", "1,2017/05/30 00:07:24,01606001116,THREAT,ur"),
    ("pairs", "h,a=1,http_uri=/%41,b=2,http_uri=/%42"),
    ("pairs", "h,a=1,b=\"x\",%41,http_uri=/%42"),
    ("pairs", "h,a=1,http_uri=/%41 b=2,c=3"),
    ("winevent", "x <Event><Data Name='url'>/%41</Data></Event>"),
    ("har", "{\"log\":{\"entries\":[{\"request\":{\"url\":\"/%41\",]}}]}}"),
];

#[test]
fn forged_records_stay_as_they_are() {
    for (format, record) in FORGED {
        let input = format!("{record}\n");
        let ran = pct(["decode", "--format", format, "--strict-format"], input.as_bytes());
        assert_eq!(String::from_utf8(ran.out).unwrap(), input, "{format}");
        assert!(ran.code == Some(2) && ran.err.contains(&format!(" not {format}, and stay")), "{format}: {}", ran.err);
    }
}

/// Formats, each with a record that contains `URL`, and the bytes that must not appear in the value for `URL`.
const AROUND: &[(&str, &str, &str)] = &[
    ("logfmt", "a=1 url=/URL b=2", "\" ,"),
    ("words", "1 - - /URL 200", "\" ,;"),
    ("uvicorn", "INFO:     192.0.2.1:1 - \"GET /URL HTTP/1.1\" 200 OK", "\" "),
    ("gin", "[GIN] 2022/02/07 - 10:49:33 | 401 |     505µs |       192.0.2.1 | POST     \"/x?URL\"", "\"\\"),
    ("rails", "Started GET \"/URL\" for 192.0.2.1 at 2016-01-06 20:30:21 +0000", "\""),
    ("django", "[02/Mar/2023 08:14:09] \"GET /URL HTTP/1.1\" 200 1234", "\" "),
    ("logger:django", "INFO 2023-03-02 08:14:09,123 basehttp 12 140 \"GET /URL HTTP/1.1\" 200 1234", "\" "),
    (
        "uwsgi",
        "[pid: 7|app: 0|req: 1/1] 192.0.2.1 () {4 vars in 6 bytes} [Thu Mar  2 08:14:09 2023] GET /URL => generated 1 bytes in 3 msecs (HTTP/1.1 200) 2 headers in 79 bytes (1 switches on core 0)",
        " ",
    ),
    ("morgan", "GET /URL 200 12.3 ms - 123", " "),
    ("php", "[Thu Mar  2 08:14:10 2023] 127.0.0.1:5 [404]: GET /URL - No such file or directory", " "),
    ("chi", "\"GET http://h/URL HTTP/1.1\" from 192.0.2.1:4 - 200 12B in 21.1µs", "\" "),
    ("phoenix", "08:14:09.123 [info] GET /URL", " "),
    ("koa", "  --> GET /URL 200 12ms 1kb", " "),
    ("aspnet", "      Request starting HTTP/1.1 GET http://h/?URL - null null", " "),
    ("rocket", "GET /URL text/html:", " "),
    ("rocket", "GET /URL:", " "),
    ("tornado", "200 GET /URL (127.0.0.1) 1.23ms", " "),
    ("tornado", "401 GET /x (@192.0.2.1) 0.98ms referer=http://h/URL", " "),
    ("actix", "192.0.2.1 \"GET /URL HTTP/1.1\" 200 14 \"-\" \"x\" 0.023529", "\" "),
    ("actix", "192.0.2.1 \"GET / HTTP/1.1\" 200 14 \"http://h/URL\" \"x\" 0.023529", "\""),
    ("tower", "request{method=GET uri=/URL version=HTTP/1.1}: x", " "),
    ("tower", "request{method=GET uri=/URL}: x", " }"),
    ("daphne", "HTTP GET /URL 200 [0.05, 192.0.2.1:47778]", " "),
    ("spring", "GET \"/URL\", parameters={masked}", "\""),
    ("solr", "x webapp=/solr path=/select params={URL} hits=0", " }"),
    ("confluence", "[21/Feb/2024:05:35:37 +0000] - x-1 192.0.2.17 GET /URL HTTP/1.1 200 225ms 7952 - curl/7", " "),
    (
        "confluence",
        "[21/Feb/2024:05:35:37 +0000] - x-1 192.0.2.17 GET / HTTP/1.1 200 225ms 7952 http://h/URL curl/7",
        " ",
    ),
    ("suricata-http", "07/01/2014-04:20:14.338309 h [**] /URL [**] x [**] 192.0.2.6:6 -> 192.0.2.67:80", " "),
    ("wget", "--2015-01-08 14:42:15--  http://h/URL", " "),
    ("wget", "Location: http://h/URL [following]", " "),
    ("curl", "> GET /URL HTTP/1.1", " "),
    ("gitea", "2026/07/10 10:43:24 x [I] router: completed GET /URL for 192.0.2.1:45192, 200 OK in 1.5ms", " "),
    ("scrapy", "Crawled (200) <GET http://h/URL> (referer: None)", "> "),
    ("oauth2-proxy", "192.0.2.3:4 - - - [2021/01/23 17:28:32] h GET - \"/URL\" HTTP/1.1 \"x\" 202 0 0.001", "\""),
    ("ansi:phoenix", "[info] \x1B[1mGET\x1B[0m \x1B[34m/URL\x1B[0m", " "),
    ("iis", "192.0.2.1, -, 03/20/01, 7:55:20, W3SVC2, S, 192.0.2.9, 4502, 163, 3223, 200, 0, GET, /x, URL,", ", "),
    ("shortcut", "URL=http://h/URL", ""),
    ("feed", "<rss><link>http://h/URL</link></rss>", "<>"),
    ("feed", "<rss><enclosure type='x' url=\"http://h/URL\"/></rss>", "<>\""),
    ("feed", "<rss><enclosure type=\"x\" url='http://h/URL'/></rss>", "<>'"),
    ("bookmarks", "<DT><A HREF=\"http://h/URL\" ADD_DATE=\"1\">x</A>", "\"<>&"),
    ("ltsv", "time:1\treq:GET /URL HTTP/1.1\tstatus:200", "\t "),
    ("ltsv", "time:1\turi:/URL\tstatus:200", "\t"),
    ("cef", "CEF:0|V|P|1|100|x|5|src=192.0.2.1 request=http://h/URL requestMethod=GET", " |\\"),
    ("leef", "LEEF:1.0|V|P|1.0|100|src=192.0.2.1\turl=http://h/URL\tusrName=x%41", "\t"),
    ("leef", "LEEF:2.0|V|P|1.0|100|^|src=192.0.2.1^url=http://h/URL^usrName=x%41", "^ "),
    ("leef", "LEEF:1.0|V|P|1.0|100|src=192.0.2.1|url=http://h/URL|usrName=x%41", "| "),
    ("leef", "LEEF:1.0|V|P|1.0|100|src=192.0.2.1#011url=http://h/URL#011usrName=x%41", "# "),
    ("leef", "LEEF:1.0|V|P|1.0|100|src=192.0.2.1 url=http://h/URL usrName=x%41", " "),
    // In a record with one pair, each separator could start a second one.
    ("leef", "LEEF:1.0|V|P|1.0|100|url=/URL", " |#"),
    ("ltsv", "uri:/URL", "|#"),
    ("sitemap", "<urlset><url><loc>http://h/?a=1&lt=URL</loc></url></urlset>", "<&;"),
    ("ltsv", "x|time=1|uri=/URL|status=200|", "| "),
    ("leef", "LEEF:1.0|V|P|1.0|100|src=192.0.2.1\turl=http://h/?a\\=URL\tusrName=x%41", "\t"),
    ("feed", "<rss><link><![CDATA[http://h/URL]]></link></rss>", "<>]"),
    ("umbrella", "\"2017-10-02 23:52:53\",\"x\",\"1\",\"2\",\"3\",\"\",\"ALLOWED\",\"http://h/URL\",\"\"", ""),
    ("bunny", "HIT|200|1507167062421|412|390|192.0.2.1|-|https://h/URL|WA|UA|1|DE", "|"),
    ("bunny", "HIT|200|1507167062421|412|390|192.0.2.1|http://h/URL|https://h/x|WA|UA|1|DE", "|"),
    (
        "panos",
        "1,2017/05/30 00:07:24,01606001116,THREAT,url,1,2017/05/30 00:07:24,192.0.2.14,198.51.100.25,,,Rule x%41,user1,,web-browsing,vsys1,a,b,c,d,e,2017/05/30 00:07:24,661375,1,1058,80,0,0,0xb000,tcp,deny,\"h.example/URL\",(9999),malware-sites,x,x,x,x,x,x,x,x,x,x,x,x,UA %41,,,-,,x",
        "",
    ),
    ("pairs", "h,a=1,http_uri=/URL,b=2,c=3", " \\"),
    ("pairs", "h,a=1,http_uri=\"/URL\",b=2,c=3", " \"\\"),
    ("pairs", "h,a=1,http_uri='/URL',b=2,c=3", " \\"),
    ("pairs", "h,a=1,http_uri='GET /URL HTTP/1.1',b=2,c=3", " \\"),
    ("winevent", "<Event><Data Name='url'>http://h/URL</Data></Event>", "<>"),
    ("xml", "<r><a><![CDATA[x http://h/URL y]]></a></r>", "<>]"),
    ("urls", "302 http://h/x => /URL x", " \"'<>\\^`{}|"),
    ("otlp", "{\"key\":\"http.url\",\"value\":{\"stringValue\":\"http://h/URL\"}}", ""),
    ("xml", "<r><a>http://h/URL</a></r>", "<>\"\\ "),
    ("xml", "<r><a>x http://h/URL y</a></r>", "<>"),
    ("xml", "<r a=\"x http://h/URL y\"/>", "<>\""),
    ("xml", "<r a=\"/URL\"/>", "<>\"\\ "),
    ("xml", "<r><uri><![CDATA[/URL]]></uri></r>", "<>]\"\\ "),
    ("xml", "<r><a>x > http://h/URL y</a></r>", "<>"),
    ("xml", "<r><a>http://h/URL > y</a></r>", "<>\"'"),
    ("xml", "<r><a b='http://h/URL'/></r>", "<>'\"\\ "),
    ("ltsv", "2026-11-28 10:00:01\taction=x\turl=h/URL\tstatus=200", "\t"),
    ("gobuster", "/URL     (Status: 200) [Size: 4]", " "),
    ("privoxy", "2018-07-14 12:15:07.956 7f0f2308d700 Request: h/URL", " "),
    ("apt-cacher", "1581754659|I|242396|192.0.2.1|h/URL", "| "),
    ("urls", "x <;>http://h/URL<;> http://h/y", " \"'<>\\^`{}|"),
    ("urls", "x | \"GET /URL HTTP/1.1\" | http://h/y", " \"'<>\\^`{}|"),
    ("zscaler", "{\"event\":{\"urlcategory\":\"x\",\"url\":\"h/URL\"}}", ""),
    ("akamai-siem", "{\"attackData\":{},\"httpMessage\":{\"path\":\"/URL\"}}", ""),
    ("cloudfront-json", "{\"x-edge-location\":\"x\",\"cs-uri-stem\":\"/URL\"}", ""),
    ("ecs", "{\"@timestamp\":\"x\",\"url\":{\"original\":\"/URL\"}}", ""),
    ("ecs", "{\"@timestamp\":\"x\",\"url.full\":\"http://h/URL\"}", ""),
    ("k8s-audit", "{\"verb\":\"get\",\"requestURI\":\"/URL\"}", ""),
    ("kong", "{\"request\":{\"uri\":\"/URL\"},\"upstream_uri\":\"/x\"}", ""),
    ("modsecurity", "{\"transaction\":{\"request\":{\"uri\":\"/URL\"}}}", ""),
    ("otel", "{\"attributes\":{\"http.target\":\"/URL\"}}", ""),
    ("pino", "{\"req\":{\"url\":\"/URL\"},\"res\":{}}", ""),
    ("journald:django", "{\"__X\":1,\"MESSAGE\":\"[02/Mar/2023 08:14:09] \\\"GET /URL HTTP/1.1\\\" 200 5\"}", ""),
    (
        "modsecurity-audit",
        "--a1b2c3d4-A--\n[x] y 192.0.2.1 1 192.0.2.2 80\n--a1b2c3d4-B--\nGET /URL HTTP/1.1\nHost: h\n\n--a1b2c3d4-Z--",
        " ",
    ),
    ("elasticsearch", "{\"hits\":{\"hits\":[{\"_index\":\"x\",\"_source\":{\"url\":\"http://h/URL\"}}]}}", ""),
    ("har", "{\"log\":{\"entries\":[{\"request\":{\"url\":\"http://h/URL\"}}]}}", ""),
];

/// Each format of `pct formats` has hostile records: here, in hostile.rs or in positions.rs.
#[test]
fn no_format_lacks_hostile_records() {
    let list = String::from_utf8(output(["formats"], b"")).unwrap();
    let names = list.lines().filter_map(|line| line.split([' ', ':']).next());
    let others = [include_str!("hostile.rs"), include_str!("positions.rs")].concat();
    let mut count = 0;
    // In `lines`, a record has no other text.
    let is_name = |name: &&str| name.starts_with(|c: char| c.is_ascii_lowercase()) && !["auto", "lines"].contains(name);
    for name in names.filter(is_name) {
        let is_here = AROUND.iter().any(|(format, ..)| format.split(':').any(|part| part == name));
        assert!(
            is_here || [format!("\"{name}\""), format!("\"{name}:")].iter().any(|text| others.contains(text)),
            "{name}"
        );
        count += 1;
    }
    assert!(count > 90, "{count}");
}

/// Returns the text before and after the value in a line of a document.
fn around<'a>(before: &'a str, after: &'a str, line: &str) -> (&'a str, &'a str) {
    let element = before.rsplit_once('[').map_or(before, |(_, element)| element);
    let end = after.split_once(']').map_or(after, |(end, _)| end);
    let before = if line.starts_with(before) { before } else { element };
    let after = if line.ends_with(after) { after } else { end };
    (before, after)
}

#[test]
fn hostile_values_stay_in_their_records() {
    for (seed, (format, record, ends)) in AROUND.iter().enumerate() {
        let mut random = Random::seeded(0xF0 + seed as u64);
        let (before, after) = record.rsplit_once("URL").unwrap();
        let is_document = matches!(*format, "har" | "elasticsearch");
        let urls: Vec<String> = (0..cases(10_000)).map(|_| url(&mut random)).collect();
        let input: String = match before.rsplit_once('[').filter(|_| is_document) {
            None => urls.iter().map(|url| format!("{before}{url}{after}\n")).collect(),
            Some((start, element)) => {
                let (end, rest) = after.split_once(']').unwrap();
                let elements: Vec<String> = urls.iter().map(|url| format!("{element}{url}{end}")).collect();
                format!("{start}[{}]{rest}\n", elements.join(",\n"))
            }
        };
        let out = output(["decode", "--format", format, "-q"], input.as_bytes());
        let out = String::from_utf8(out).unwrap();
        let lines: Vec<&str> = out.strip_suffix('\n').unwrap().split('\n').collect();
        let height = 1 + record.matches('\n').count();
        assert_eq!(lines.len(), height * urls.len(), "{format}");
        let mut changed = 0;
        for (lines, url) in lines.chunks(height).zip(&urls) {
            let line = lines.join("\n");
            let line = line.strip_suffix(',').filter(|_| is_document).unwrap_or(&line);
            let (before, after) = if is_document { around(before, after, line) } else { (before, after) };
            let is_json = !is_document && record.starts_with('{');
            assert!(!is_json || serde_json::from_str::<serde_json::Value>(line).is_ok(), "{format}: {line}");
            let value = line.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
            let value = value.unwrap_or_else(|| panic!("{format}: {url} became {line}"));
            changed += usize::from(value != url);
            assert!(!value.contains(|c: char| c.is_control() || ends.contains(c)), "{format}: {url} became {value}");
        }
        assert!(changed > urls.len() / 4, "{format}: {changed} of {} changed", urls.len());
    }
}

/// A document stays valid whatever its strings contain, and its array has as many records as before.
#[test]
fn documents_keep_their_records() {
    let mut random = Random::seeded(0x4A4);
    let urls: Vec<String> = (0..cases(2_000)).map(|_| url(&mut random)).collect();
    let entry = |url: &String| serde_json::json!({"request": {"url": format!("http://h/{url}")}, "text": "\"entries\":[{", "a": [{"b": "]}}"}, {}]});
    for pretty in [false, true] {
        let document = serde_json::json!({"log": {"creator": {"name": "\\"}, "entries": urls.iter().map(entry).collect::<Vec<_>>()}});
        let text =
            if pretty { serde_json::to_string_pretty(&document) } else { serde_json::to_string(&document) }.unwrap();
        let out = output(["decode", "--format", "har"], text.as_bytes());
        let after: serde_json::Value = serde_json::from_slice(&out).unwrap();
        let entries = after["log"]["entries"].as_array().unwrap();
        assert_eq!(entries.len(), urls.len());
        assert!(entries.iter().zip(&urls).all(|(entry, _)| entry["text"] == "\"entries\":[{"));
        let changed =
            entries.iter().zip(&urls).filter(|(entry, url)| entry["request"]["url"] != format!("http://h/{url}"));
        assert!(changed.count() > urls.len() / 4);
        let rows = output(["cut", "--no-header", "--format", "har", "-f", "/request/url"], text.as_bytes());
        assert_eq!(rows.iter().filter(|&&byte| byte == b'\n').count(), urls.len());
        let records = output(["grep", "--format", "har", "http"], text.as_bytes());
        let records = serde_json::Deserializer::from_slice(&records).into_iter::<serde_json::Value>();
        assert_eq!(records.filter(|record| record.is_ok()).count(), urls.len());
    }
    // A second document is not read, and `pct` says so.
    let text = "{\"log\":{\"entries\":[{\"request\":{\"url\":\"/%41\"}}]}}\n";
    let ran = pct(["decode", "--format", "har"], format!("{text}{text}").as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), format!("{}{text}", text.replace("%41", "A")));
    assert!(ran.err.contains("is not har"), "{}", ran.err);
    // An entry may be longer than a chunk.
    let long = format!(
        "{{\"log\":{{\"entries\":[{{\"a\":\"{}\"}},{{\"request\":{{\"url\":\"/%41\"}}}}]}}}}",
        "x".repeat(9 << 20)
    );
    let ran = pct(["decode", "--format", "har"], long.as_bytes());
    assert!(ran.out == long.replace("%41", "A").into_bytes() && ran.err.contains("longer than 8 MiB"), "{}", ran.err);
}

/// The text of an element may contain `>` (XML 1.0, 2.4).
#[test]
fn data_of_events_may_contain_an_angle_bracket() {
    let event = |url: &str| format!("<Event><Data Name=\"url\">{url}</Data></Event>\n");
    let out = output(["decode", "--format", "winevent"], event("http://h/?a>b%41").as_bytes());
    assert_eq!(String::from_utf8(out).unwrap(), event("http://h/?a&gt;bA"));
    let out = output(["cut", "--no-header", "--format", "winevent"], event("http://h/?a>b%41").as_bytes());
    assert!(String::from_utf8(out).unwrap().contains("http://h/?a>bA"));
}

#[test]
fn a_log_without_records_of_the_format_is_reported() {
    for format in ["django", "uvicorn", "logger:rails", "sitemap", "feed", "bookmarks", "har", "elasticsearch"] {
        let ran = pct(["decode", "--format", format], b"nothing %41\nto see\n");
        assert_eq!(ran.out, b"nothing %41\nto see\n");
        assert!(ran.err.contains(&format!("none of its lines is a record of {format}")), "{}", ran.err);
    }
}

/// A record that ends before the chosen columns is of another kind, and may have its URL in another column.
#[test]
fn a_short_record_of_a_table_is_reported() {
    let log = "1,x,y,http://h/%41\n2,http://h/%42\n3,x,y,http://h/%43\n";
    let ran = pct(["cut", "--format", "csv", "--no-header", "-f", "4"], log.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), "http://h/A\nhttp://h/C\n");
    assert_eq!(ran.err, "pct: <stdin>: 1 of 3 checked records is not csv, and is skipped\n");
}

/// A separator above ASCII could also be decoded from a value.
#[test]
fn a_separator_of_leef_is_ascii() {
    let log = "LEEF:2.0|V|P|1.0|100|xa6|src=192.0.2.1\u{A6}url=http://h/%C2%A6usrName=x\n";
    let ran = pct(["decode", "--format", "leef"], log.as_bytes());
    assert_eq!(String::from_utf8(ran.out).unwrap(), log);
    assert_eq!(ran.err, "pct: <stdin>: its only checked record is not leef, and stays as it is\n");
}

/// A header or a variable of the user may hold a URL, too.
#[test]
fn variables_with_names_of_urls_are_read() {
    let log = "192.0.2.1 \"GET /a HTTP/1.1\" \"http://h/%41\" \"/b%20c\" \"/d\"\n";
    for format in [
        "nginx:$remote_addr \"$request\" \"$sent_http_location\" \"$http_x_original_uri\" \"$request_filename\"",
        "apache:%h \"%r\" \"%{Location}o\" \"%{X-Original-URL}i\" \"%f\"",
    ] {
        let out = output(["cut", "--no-header", "--format", format], log.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), "/a\thttp://h/A\t/b c\n", "{format}");
    }
}

#[test]
fn formats_of_servers_are_taken_as_they_are_pasted() {
    let log = "192.0.2.1 \"GET /caf%C3%A9 HTTP/1.1\" 200\n";
    for format in [
        "nginx:$remote_addr \"$request\" $status",
        "nginx:log_format  main  '$remote_addr '\n                  '\"$request\" $status';\n",
        "nginx:'$remote_addr \"$request\" ' '$status';",
        "apache:%h \"%r\" %>s",
        "apache:LogFormat \"%h \\\"%r\\\" %>s\" common",
        "apache:\"%h \\\"%r\\\" %>s\" common",
    ] {
        let out = output(["decode", "--format", format], log.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), decoded(log), "{format}");
    }
    let folder = Folder::new();
    let nginx = folder.file(
        "nginx.conf",
        b"http {\n  # log_format x '$a';\n  log_format main '$remote_addr \"$request\" '\n    '$status';\n  log_format other '$a';\n}\n",
    );
    let apache = folder.file("apache2.conf", b"LogFormat \"%h \\\"%r\\\" %>s\" common\n");
    for format in [format!("nginx:@{}:main", nginx.display()), format!("apache:@{}", apache.display())] {
        let out = output(["decode", "--format", &format], log.as_bytes());
        assert_eq!(String::from_utf8(out).unwrap(), decoded(log), "{format}");
    }
    for (format, message) in [
        (format!("nginx:@{}", nginx.display()), "has several formats, main, other"),
        (format!("nginx:@{}:x", nginx.display()), "has no format `x`; there are main, other"),
        (format!("nginx:@{}", apache.display()), "has no log_format"),
        ("nginx:@/nowhere".to_string(), "cannot read /nowhere"),
    ] {
        let ran = pct(["decode", "--format", &format], b"");
        assert!(ran.code == Some(2) && ran.err.contains(message), "{format}: {}", ran.err);
    }
}

/// A configuration may be in several files. `pct` follows the includes, as the server does it.
#[test]
fn includes_of_configurations_are_followed() {
    let log = "192.0.2.1 \"GET /caf%C3%A9 HTTP/1.1\" 200\n";
    let folder = Folder::new();
    for name in ["conf.d", "conf.d/more", "mods"] {
        std::fs::create_dir(folder.path(name)).unwrap();
    }
    let main = "log_format main '$remote_addr \"$request\" $status';\n";
    folder.file("conf.d/a.conf", main.as_bytes());
    // A file that includes itself, or is included twice, is read once. A wildcard matches no hidden file.
    folder.file(
        "conf.d/b.conf",
        b"include b.conf; include conf.d/a.conf; include 'sn*/[x-z].conf'; # include nowhere;\n",
    );
    folder.file("conf.d/.c.conf", b"log_format hidden '$a';");
    folder.file("conf.d/more/a.load", b"LogFormat \"%h \\\"%r\\\" %>s\" main\n");
    let all = format!("http {{ include {}/conf.d/*.conf; }}", folder.path(".").display());
    for (name, text, server) in [
        ("1.conf", "http {\n  include conf.d/*.conf;\n}\n", "nginx"),
        ("2.conf", "http { include \"conf.d/b.conf\"; }", "nginx"),
        ("3.conf", &all, "nginx"),
        ("4.conf", "include ./1.conf; include 2.conf;", "nginx"),
        ("5.conf", "IncludeOptional nowhere/x\n include \"conf.d/mor*/*.load\"\r\n", "apache"),
        ("6.conf", "ServerRoot conf.d\nInclude more\nInclude more/a.load\n#Include nowhere\n", "apache"),
    ] {
        let file = folder.file(name, text.as_bytes());
        for format in [format!("{server}:@{}", file.display()), format!("{server}:@{}:main", file.display())] {
            let ran = pct(["decode", "--format", &format], log.as_bytes());
            assert_eq!((&*ran.out, &*ran.err), (decoded(log).as_bytes(), ""), "{format}");
        }
    }
    // An included file is never overwritten.
    let (file, included) = (folder.path("1.conf"), folder.path("conf.d/a.conf"));
    let format = format!("nginx:@{}", file.display());
    let ran = pct(["decode", "--format", &format, "-o", included.to_str().unwrap()], log.as_bytes());
    assert!(ran.code == Some(2) && std::fs::read_to_string(&included).unwrap() == main, "{}", ran.err);
    for (text, server, missing) in [
        ("include conf.d/a.conf; include conf.d/x.conf;", "nginx", "x.conf"),
        ("include x;", "nginx", "/x, which"),
        ("Include conf.d/more/a.load\nInclude mods/x.load\n", "apache", "mods/x.load, which"),
    ] {
        let file = folder.file("x.conf", text.as_bytes());
        let ran = pct(["decode", "--format", &format!("{server}:@{}", file.display())], log.as_bytes());
        assert!(ran.err.contains(missing) && ran.err.contains("no such file"), "{}", ran.err);
        // A format that is found needs no other file.
        let is_found = text.contains("/a.");
        assert_eq!((ran.code, ran.out.is_empty()), (Some(if is_found { 0 } else { 2 }), !is_found), "{text}");
        if is_found {
            let ran = pct(["decode", "--format", &format!("{server}:@{}:main", file.display())], log.as_bytes());
            assert_eq!((&*ran.out, &*ran.err), (decoded(log).as_bytes(), ""), "{text}");
        }
    }
    // Each file includes the next one.
    for number in 0..40 {
        folder.file(format!("deep{number}.conf"), format!("include deep{}.conf;", number + 1).as_bytes());
    }
    let ran = pct(["decode", "--format", &format!("nginx:@{}", folder.path("deep0.conf").display())], log.as_bytes());
    assert!(ran.code == Some(2) && ran.err.contains("deep33.conf"), "{}", ran.err);
}
