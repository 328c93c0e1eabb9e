/*
 * Percent-decoding and -encoding for nginx, by libpercent_simd. See README.md.
 *
 * The module never writes $uri, $args or any other field by which nginx chooses a location. It does two things: it refuses
 * requests, and it changes the target that upstreams receive. nginx reads the changed target in the same way as the
 * client's target. So a rule that stops a request in plain nginx also stops it here. Every failure denies the request: see
 * ngx_http_pct_fail().
 *
 * SPDX-License-Identifier: MIT OR Apache-2.0
 */

#include <ngx_config.h>
#include <ngx_core.h>
#include <ngx_http.h>

#include <percent_simd.h>

typedef struct {
    ngx_flag_t   enable;
    pct_decoder  decoder;
    ngx_uint_t   normalize;             /* one of NGX_HTTP_PCT_PATH_... */
    uint32_t     path_flags;            /* PCT_PATH_... */
    pct_decoder  path_decoder;          /* decodes the normal path, and refuses the escapes of "reject=" */
} ngx_http_pct_srv_conf_t;

#define NGX_HTTP_PCT_PATH_OFF     0
#define NGX_HTTP_PCT_PATH_ON      1
#define NGX_HTTP_PCT_PATH_STRICT  2

typedef struct {
    ngx_http_complex_value_t  source;
    ngx_str_t                 param;
    ngx_uint_t                layers;
    pct_decoder               decoder;
    pct_encoder               encoder;              /* of pct_decode: keeps all bytes that may be raw in the source */
} ngx_http_pct_variable_t;

static ngx_int_t ngx_http_pct_add_failure(ngx_conf_t *cf);
static void *ngx_http_pct_create_srv_conf(ngx_conf_t *cf);
static char *ngx_http_pct_merge_srv_conf(ngx_conf_t *cf, void *parent, void *child);
static ngx_int_t ngx_http_pct_init(ngx_conf_t *cf);
static ngx_int_t ngx_http_pct_path_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_pct_failure_handler(ngx_http_request_t *r);
static ngx_int_t ngx_http_pct_header_filter(ngx_http_request_t *r);
static char *ngx_http_pct_decode(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_pct_encode(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_pct_param(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_pct_normalize(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_pct_check_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);
static char *ngx_http_pct_normalize_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf);


static ngx_int_t  ngx_http_pct_failure_index;

static ngx_http_output_header_filter_pt  ngx_http_next_header_filter;


static ngx_command_t  ngx_http_pct_commands[] = {

    { ngx_string("pct_decode"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_2MORE,
      ngx_http_pct_decode, 0, 0, NULL },

    { ngx_string("pct_encode"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE3,
      ngx_http_pct_encode, 0, 0, NULL },

    { ngx_string("pct_normalize"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE2,
      ngx_http_pct_normalize, 0, 0, NULL },

    { ngx_string("pct_param"),
      NGX_HTTP_MAIN_CONF|NGX_CONF_TAKE3,
      ngx_http_pct_param, 0, 0, NULL },

    { ngx_string("pct_check_path"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_1MORE,
      ngx_http_pct_check_path, NGX_HTTP_SRV_CONF_OFFSET, 0, NULL },

    { ngx_string("pct_normalize_path"),
      NGX_HTTP_MAIN_CONF|NGX_HTTP_SRV_CONF|NGX_CONF_1MORE,
      ngx_http_pct_normalize_path, NGX_HTTP_SRV_CONF_OFFSET, 0, NULL },

      ngx_null_command
};


static ngx_http_module_t  ngx_http_percent_simd_module_ctx = {
    ngx_http_pct_add_failure,              /* preconfiguration */
    ngx_http_pct_init,                     /* postconfiguration */
    NULL,                                  /* create main configuration */
    NULL,                                  /* init main configuration */
    ngx_http_pct_create_srv_conf,          /* create server configuration */
    ngx_http_pct_merge_srv_conf,           /* merge server configuration */
    NULL,                                  /* create location configuration */
    NULL                                   /* merge location configuration */
};


ngx_module_t  ngx_http_percent_simd_module = {
    NGX_MODULE_V1,
    &ngx_http_percent_simd_module_ctx,     /* module context */
    ngx_http_pct_commands,                 /* module directives */
    NGX_HTTP_MODULE,                       /* module type */
    NULL,                                  /* init master */
    NULL,                                  /* init module */
    NULL,                                  /* init process */
    NULL,                                  /* init thread */
    NULL,                                  /* exit thread */
    NULL,                                  /* exit process */
    NULL,                                  /* exit master */
    NGX_MODULE_V1_PADDING
};


/*
 * Adds the characters of a parameter, such as "keep=/%", to a set. Only punctuation is useful in such a set. A letter or
 * digit means a misspelled name, so it is refused: "reject=control" must not be a set of seven letters. A character above
 * ASCII is refused, too, because a set has single bytes, and other characters share the bytes of this one.
 */

static char *
ngx_http_pct_chars(ngx_conf_t *cf, ngx_str_t *value, size_t prefix, pct_set *set)
{
    u_char  *p, *last = value->data + value->len;

    for (p = value->data + prefix; p < last && *p < 0x80 && !isalnum(*p); p++) { /* void */ }

    if (p != last || value->len == prefix) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\" must list punctuation characters", value);
        return NGX_CONF_ERROR;
    }

    *set = pct_set_union(*set, pct_set_of((char *) value->data + prefix, value->len - prefix));
    return NGX_CONF_OK;
}


/* Returns true if a parameter between the indices `first` and `i` has the same name as the parameter at `i`. */

static ngx_uint_t
ngx_http_pct_is_repeated(ngx_str_t *value, ngx_uint_t first, ngx_uint_t i)
{
    size_t  len = strcspn((char *) value[i].data, "=");

    for ( /* void */ ; first < i; first++) {
        if (strcspn((char *) value[first].data, "=") == len && ngx_strncmp(value[first].data, value[i].data, len) == 0) {
            return 1;
        }
    }

    return 0;
}


/* Returns the controls of ASCII. */

static pct_set
ngx_http_pct_controls(void)
{
    return pct_set_union(pct_set_range(0, 31), pct_set_of("\x7f", 1));
}


/*
 * Reads the parameters from index `first` on. If `layers` is NULL, the options of a decoder are not allowed, except "reject=".
 * If `path` is not NULL, the flags of a path are allowed.
 */

static char *
ngx_http_pct_options(ngx_conf_t *cf, ngx_uint_t first, pct_decode_options *options, ngx_uint_t *layers, uint32_t *path)
{
    ngx_int_t    n;
    ngx_str_t   *value = cf->args->elts;
    ngx_uint_t   i;

    for (i = first; i < cf->args->nelts; i++) {

        if (ngx_strcmp(value[i].data, "reject=controls") == 0) {
            options->reject = pct_set_union(options->reject, ngx_http_pct_controls());

        } else if (ngx_strncmp(value[i].data, "reject=", 7) == 0) {
            if (ngx_http_pct_chars(cf, &value[i], 7, &options->reject) != NGX_CONF_OK) {
                return NGX_CONF_ERROR;
            }

        } else if (layers != NULL && ngx_strncmp(value[i].data, "keep=", 5) == 0) {
            if (ngx_http_pct_chars(cf, &value[i], 5, &options->keep) != NGX_CONF_OK) {
                return NGX_CONF_ERROR;
            }

        } else if (ngx_http_pct_is_repeated(value, first, i)) {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\" repeats an option", &value[i]);
            return NGX_CONF_ERROR;

        } else if (path != NULL && ngx_strcmp(value[i].data, "merge_slashes") == 0) {
            *path |= PCT_PATH_MERGE_SLASHES;

        } else if (path != NULL && ngx_strcmp(value[i].data, "separators=reject") == 0) {
            *path |= PCT_PATH_REJECT_SEPARATORS;

        } else if (path != NULL && ngx_strcmp(value[i].data, "separators=keep") == 0) {
            /* the default */

        } else if (layers != NULL && ngx_strcmp(value[i].data, "plus=always") == 0) {
            options->flags |= PCT_DECODE_PLUS;

        } else if (layers != NULL && ngx_strcmp(value[i].data, "plus=after-query") == 0) {
            options->flags |= PCT_DECODE_PLUS_AFTER_QUERY;

        } else if (layers != NULL && ngx_strcmp(value[i].data, "strict") == 0) {
            options->flags |= PCT_DECODE_STRICT;

        } else if (layers != NULL && ngx_strncmp(value[i].data, "layers=", 7) == 0) {
            n = ngx_atoi(value[i].data + 7, value[i].len - 7);
            if (n < 1 || n > 16) {
                ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "\"%V\" is not a number from 1 to 16", &value[i]);
                return NGX_CONF_ERROR;
            }
            *layers = n;

        } else {
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid parameter \"%V\"", &value[i]);
            return NGX_CONF_ERROR;
        }
    }

    return NGX_CONF_OK;
}


/*
 * Returns true if rules can read a variable of this name. In a rule, "$1" is always a capture of a regular expression, and "$a-b" is "$a"
 * and then "-b".
 */
static ngx_uint_t
ngx_http_pct_is_name(ngx_str_t *name)
{
    size_t  i;
    u_char  c;

    for (i = 0; i < name->len; i++) {
        c = ngx_tolower(name->data[i]);
        if (c != '_' && (c < 'a' || c > 'z') && (i == 0 || c < '0' || c > '9')) {
            return 0;
        }
    }

    return name->len > 0;
}


/*
 * Adds a variable. `get` computes it from the source, a complex value in the second argument of the directive.
 *
 * The variable isn't NGX_HTTP_VAR_CHANGEABLE. Otherwise a later "map", "set" or named capture could replace it without an
 * error, and a rule would read text that this module hasn't decoded or checked.
 */
static ngx_http_pct_variable_t *
ngx_http_pct_add_variable(ngx_conf_t *cf, ngx_http_get_variable_pt get)
{
    ngx_str_t                          name, *value = cf->args->elts;
    ngx_http_variable_t               *variable;
    ngx_http_pct_variable_t           *ctx;
    ngx_http_compile_complex_value_t   ccv;

    name.len = value[1].len - 1;
    name.data = value[1].data + 1;
    if (value[1].data[0] != '$' || !ngx_http_pct_is_name(&name)) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "invalid variable name \"%V\"", &value[1]);
        return NULL;
    }

    ctx = ngx_pcalloc(cf->pool, sizeof(ngx_http_pct_variable_t));
    if (ctx == NULL) {
        return NULL;
    }

    ngx_memzero(&ccv, sizeof(ngx_http_compile_complex_value_t));
    ccv.cf = cf;
    ccv.value = &value[2];
    ccv.complex_value = &ctx->source;
    if (ngx_http_compile_complex_value(&ccv) != NGX_OK) {
        return NULL;
    }

    variable = ngx_http_add_variable(cf, &name, 0);
    if (variable == NULL) {
        return NULL;
    }

    if (variable->get_handler != NULL) {
        ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "the variable \"%V\" is already defined", &value[1]);
        return NULL;
    }

    variable->get_handler = get;
    variable->data = (uintptr_t) ctx;
    return ctx;
}


static ngx_int_t
ngx_http_pct_set(ngx_http_variable_value_t *v, u_char *data, size_t len)
{
    v->data = data;
    v->len = len;
    v->valid = 1;
    v->not_found = 0;
    return NGX_OK;
}


/* Sets the variable's value. If decoding changed nothing, the value is the source, and nginx frees the output if it is large. */

static ngx_int_t
ngx_http_pct_set_result(ngx_http_request_t *r, ngx_http_variable_value_t *v, ngx_str_t *source, u_char *out,
    pct_result *result)
{
    if (result->changed) {
        return ngx_http_pct_set(v, out, result->written);
    }

    (void) ngx_pfree(r->pool, out);
    return ngx_http_pct_set(v, source->data, source->len);
}


/*
 * Marks the request as failed: stores the status of the answer in $pct_failure. Two functions check $pct_failure: a handler
 * that runs after all rules and before the content, and the filter of response headers. The filter is necessary because a
 * "return" in a rule answers before the handler runs.
 *
 * The status is in the slot of a variable, because the slot needs no memory, survives internal redirects, and is shared
 * with subrequests.
 */

static void
ngx_http_pct_fail(ngx_http_request_t *r, char *status)
{
    (void) ngx_http_pct_set(&r->variables[ngx_http_pct_failure_index], (u_char *) status, 3);
}


/* A variable that fails. It cannot refuse the request, because a rule reads a variable without a value as the empty string. */

static ngx_int_t
ngx_http_pct_failed(ngx_http_request_t *r, ngx_http_variable_value_t *v, char *status)
{
    ngx_http_pct_fail(r, status);
    v->not_found = 1;
    return NGX_OK;
}


/* Marks the request as failed, with the reason `status`: 400 if the input is at fault, otherwise 500. */

static ngx_int_t
ngx_http_pct_refused(ngx_http_request_t *r, ngx_http_variable_value_t *v, pct_status status, pct_result *result)
{
    if (status != PCT_TRUNCATED && status != PCT_NOT_HEX && status != PCT_REJECTED) {
        return ngx_http_pct_failed(r, v, "500");
    }

    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                  "percent-encoding: malformed escape, or rejected byte, at offset %uz", result->first_error);
    return ngx_http_pct_failed(r, v, "400");
}


/*
 * Evaluates the source of a variable. nginx shares all values between a request and its subrequests, but the subrequest of
 * auth_request has no $args. So the request must not use a value that a subrequest has computed.
 */

static ngx_int_t
ngx_http_pct_evaluate(ngx_http_request_t *r, ngx_http_variable_value_t *v, ngx_http_pct_variable_t *ctx, ngx_str_t *source)
{
    v->no_cacheable = r != r->main;
    return ngx_http_complex_value(r, &ctx->source, source);
}


/* Evaluates the source of a variable. Returns a buffer with room for the source, or NULL after an error. */

static u_char *
ngx_http_pct_source(ngx_http_request_t *r, ngx_http_variable_value_t *v, ngx_http_pct_variable_t *ctx, ngx_str_t *source)
{
    if (ngx_http_pct_evaluate(r, v, ctx, source) != NGX_OK) {
        return NULL;
    }

    return ngx_pnalloc(r->pool, source->len + 1);
}


static ngx_int_t
ngx_http_pct_decoded(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                   *out;
    ngx_str_t                 source;
    pct_result                result;
    pct_status                status;
    ngx_http_pct_variable_t  *ctx = (ngx_http_pct_variable_t *) data;

    out = ngx_http_pct_source(r, v, ctx, &source);
    if (out == NULL) {
        return ngx_http_pct_failed(r, v, "500");
    }

    /* The decoder refuses only escapes. In $uri, and in captures of a location, nginx has already decoded "%0A". */

    result.first_error = pct_encode_first_changed(&ctx->encoder, (char *) source.data, source.len);
    if (result.first_error != PCT_NONE) {
        return ngx_http_pct_refused(r, v, PCT_REJECTED, &result);
    }

    status = pct_decode_layers(&ctx->decoder, (char *) source.data, source.len, (char *) out, source.len,
                               ctx->layers, &result);
    if (status != PCT_OK) {
        return ngx_http_pct_refused(r, v, status, &result);
    }

    return ngx_http_pct_set_result(r, v, &source, out, &result);
}


static ngx_int_t
ngx_http_pct_encoded(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    size_t                    len;
    u_char                   *out;
    ngx_str_t                 source;
    pct_result                result;
    ngx_http_pct_variable_t  *ctx = (ngx_http_pct_variable_t *) data;

    if (ngx_http_pct_evaluate(r, v, ctx, &source) != NGX_OK) {
        return ngx_http_pct_failed(r, v, "500");
    }

    len = pct_encoded_len(&ctx->encoder, (char *) source.data, source.len);
    out = len == PCT_NONE ? NULL : ngx_pnalloc(r->pool, len + 1);
    if (out == NULL
        || pct_encode(&ctx->encoder, (char *) source.data, source.len, (char *) out, len, &result) != PCT_OK)
    {
        return ngx_http_pct_failed(r, v, "500");
    }

    return ngx_http_pct_set_result(r, v, &source, out, &result);
}


static ngx_int_t
ngx_http_pct_normalized(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                   *out;
    ngx_str_t                 source;
    pct_result                result;
    pct_status                status;
    ngx_http_pct_variable_t  *ctx = (ngx_http_pct_variable_t *) data;

    out = ngx_http_pct_source(r, v, ctx, &source);
    if (out == NULL) {
        return ngx_http_pct_failed(r, v, "500");
    }

    status = pct_normalize_escapes((char *) source.data, source.len, (char *) out, source.len, &result);
    if (status != PCT_OK) {
        return ngx_http_pct_refused(r, v, status, &result);
    }

    return ngx_http_pct_set_result(r, v, &source, out, &result);
}


/* Computes the value of the first parameter with this name. Name and value are decoded as in forms. */

static ngx_int_t
ngx_http_pct_param_value(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    u_char                   *out;
    pct_form                  form;
    pct_pair                  pair;
    ngx_str_t                 source;
    pct_result                result;
    pct_status                status;
    ngx_http_pct_variable_t  *ctx = (ngx_http_pct_variable_t *) data;

    out = ngx_http_pct_source(r, v, ctx, &source);
    if (out == NULL || pct_form_init(&form, (char *) source.data, source.len, NULL) != PCT_OK) {
        return ngx_http_pct_failed(r, v, "500");
    }

    while ((status = pct_form_next(&form, &pair)) == PCT_OK) {

        status = pct_decode(pct_form_decoder(), pair.name, pair.name_len, (char *) out, pair.name_len, &result);
        if (status != PCT_OK) {
            break;
        }

        if (result.written != ctx->param.len || ngx_memcmp(out, ctx->param.data, ctx->param.len) != 0) {
            continue;
        }

        status = pct_decode(pct_form_decoder(), pair.value, pair.value_len, (char *) out, pair.value_len, &result);
        if (status != PCT_OK) {
            break;
        }

        return ngx_http_pct_set(v, out, result.written);
    }

    if (status != PCT_END) {
        return ngx_http_pct_failed(r, v, "500");
    }

    v->not_found = 1;
    return NGX_OK;
}


/* pct_decode $variable source [keep=] [reject=] [plus=] [strict] [layers=]; */

static char *
ngx_http_pct_decode(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    pct_decode_options        options = PCT_DECODE_OPTIONS;
    pct_encode_options        raw = PCT_ENCODE_OPTIONS;
    ngx_http_pct_variable_t  *ctx;

    ctx = ngx_http_pct_add_variable(cf, ngx_http_pct_decoded);
    if (ctx == NULL) {
        return NGX_CONF_ERROR;
    }

    ctx->layers = 1;
    if (ngx_http_pct_options(cf, 3, &options, &ctx->layers, NULL) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    raw.allowed = pct_set_complement(pct_set_intersection(options.reject, ngx_http_pct_controls()));
    if (pct_encoder_init(&ctx->encoder, &raw) != PCT_OK) {
        return NGX_CONF_ERROR;
    }

    return pct_decoder_init(&ctx->decoder, &options) == PCT_OK ? NGX_CONF_OK : "has parameters that exclude each other";
}


/* pct_encode $variable source set; */

static char *
ngx_http_pct_encode(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t                *value = cf->args->elts;
    ngx_http_pct_variable_t  *ctx;

    ctx = ngx_http_pct_add_variable(cf, ngx_http_pct_encoded);
    if (ctx == NULL) {
        return NGX_CONF_ERROR;
    }

    return pct_encoder_named(&ctx->encoder, (char *) value[3].data) == PCT_OK ? NGX_CONF_OK : "has an unknown set";
}


/* pct_normalize $variable source; */

static char *
ngx_http_pct_normalize(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    return ngx_http_pct_add_variable(cf, ngx_http_pct_normalized) == NULL ? NGX_CONF_ERROR : NGX_CONF_OK;
}


/* pct_param $variable source name; */

static char *
ngx_http_pct_param(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t                *value = cf->args->elts;
    ngx_http_pct_variable_t  *ctx;

    ctx = ngx_http_pct_add_variable(cf, ngx_http_pct_param_value);
    if (ctx == NULL) {
        return NGX_CONF_ERROR;
    }

    ctx->param = value[3];
    return NGX_CONF_OK;
}


/* pct_check_path on [reject=] | off; */

static char *
ngx_http_pct_check_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t                *value = cf->args->elts;
    pct_decode_options        options = PCT_DECODE_OPTIONS;
    ngx_http_pct_srv_conf_t  *pscf = conf;

    if (pscf->enable != NGX_CONF_UNSET) {
        return "is duplicate";
    }

    if (ngx_strcmp(value[1].data, "off") == 0 && cf->args->nelts == 2) {
        pscf->enable = 0;
        return NGX_CONF_OK;
    }

    if (ngx_strcmp(value[1].data, "on") != 0) {
        return "must be \"on\" or \"off\"";
    }

    pscf->enable = 1;
    options.flags = PCT_DECODE_STRICT;
    if (ngx_http_pct_options(cf, 2, &options, NULL, NULL) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    return pct_decoder_init(&pscf->decoder, &options) == PCT_OK ? NGX_CONF_OK : "has parameters that exclude each other";
}


/* pct_normalize_path on | strict [merge_slashes] [separators=] [reject=] | off; */

static char *
ngx_http_pct_normalize_path(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    ngx_str_t                *value = cf->args->elts;
    pct_decode_options        options = PCT_DECODE_OPTIONS;
    ngx_http_pct_srv_conf_t  *pscf = conf;

    if (pscf->normalize != NGX_CONF_UNSET_UINT) {
        return "is duplicate";
    }

    if (ngx_strcmp(value[1].data, "off") == 0 && cf->args->nelts == 2) {
        pscf->normalize = NGX_HTTP_PCT_PATH_OFF;
        return NGX_CONF_OK;
    }

    if (ngx_strcmp(value[1].data, "on") == 0) {
        pscf->normalize = NGX_HTTP_PCT_PATH_ON;

    } else if (ngx_strcmp(value[1].data, "strict") == 0) {
        pscf->normalize = NGX_HTTP_PCT_PATH_STRICT;
        pscf->path_flags = PCT_PATH_STRICT;

    } else {
        return "must be \"on\", \"strict\" or \"off\"";
    }

    if (ngx_http_pct_options(cf, 2, &options, NULL, &pscf->path_flags) != NGX_CONF_OK) {
        return NGX_CONF_ERROR;
    }

    return pct_decoder_init(&pscf->path_decoder, &options) == PCT_OK ? NGX_CONF_OK : "has parameters that exclude each other";
}


/* Answers 400 and logs the offset of the fault, counted from the start of $request_uri. */

static ngx_int_t
ngx_http_pct_bad_target(ngx_http_request_t *r, char *fault, size_t offset)
{
    ngx_log_error(NGX_LOG_ERR, r->connection->log, 0, "percent-encoding: the target has %s at offset %uz", fault, offset);
    return NGX_HTTP_BAD_REQUEST;
}


/*
 * Finds the path in the target as the client sent it. Refuses every "#". A target has no fragment (RFC 9112 3.2), but nginx
 * accepts one: it ignores the fragment when it chooses a location, and sends it to upstreams.
 */

static ngx_int_t
ngx_http_pct_path(ngx_http_request_t *r, ngx_str_t *path)
{
    u_char  *p, *last;

    path->data = r->unparsed_uri.data;
    last = path->data + r->unparsed_uri.len;

    p = ngx_strlchr(path->data, last, '#');
    if (p != NULL) {
        return ngx_http_pct_bad_target(r, "a \"#\"", p - path->data);
    }

    p = ngx_strlchr(path->data, last, '?');
    path->len = (p == NULL ? last : p) - path->data;

    return NGX_OK;
}


/* Checks the path. */

static ngx_int_t
ngx_http_pct_check(ngx_http_request_t *r, ngx_http_pct_srv_conf_t *pscf)
{
    ngx_int_t   rc;
    ngx_str_t   path;
    pct_result  result;

    if (!pscf->enable) {
        return NGX_DECLINED;
    }

    rc = ngx_http_pct_path(r, &path);
    if (rc != NGX_OK) {
        return rc;
    }

    if (pct_decode_check(&pscf->decoder, (char *) path.data, path.len, &result) != PCT_OK) {
        return ngx_http_pct_bad_target(r, "a malformed or rejected escape", result.first_error);
    }

    return NGX_DECLINED;
}


/*
 * Returns true if `path`, the path that we have decoded, equals $uri, the path that nginx has decoded. nginx merges slashes if
 * "merge_slashes" is on, but it may read this setting from this server or from the connection's default server. We can't know from
 * which, so we merge slashes only if both servers have the setting on.
 */

static ngx_uint_t
ngx_http_pct_is_uri(ngx_http_request_t *r, u_char *path, size_t len)
{
    size_t                     i, n;
    ngx_http_core_srv_conf_t  *cscf, *first;

    cscf = ngx_http_get_module_srv_conf(r, ngx_http_core_module);
    first = r->http_connection->conf_ctx->srv_conf[ngx_http_core_module.ctx_index];

    if (cscf->merge_slashes && first->merge_slashes) {
        for (i = 0, n = 0; i < len; i++) {
            if (path[i] != '/' || n == 0 || path[n - 1] != '/') {
                path[n++] = path[i];
            }
        }
        len = n;
    }

    return len == r->uri.len && ngx_memcmp(path, r->uri.data, len) == 0;
}


/*
 * Replaces the target by one with a normalized path. From then on, $request_uri is this target, and upstreams receive it
 * unless "proxy_pass" has a path. Runs after ngx_http_pct_check().
 *
 * nginx has already decoded the path, then merged slashes (if "merge_slashes" is on), and then removed dot segments.
 * But an upstream that treats "%2F" as data, or keeps empty segments, removes dot segments first. So we use the other
 * order: we remove dot segments, then decode, and merge slashes last. If both orders give the same path, no "%2F" or
 * "//" has changed the effect of a dot segment, and the rules of a location hold for every upstream. Otherwise we
 * refuse the request:
 *
 *     /a%2F..%2Fb  nginx: /b    an upstream: the segment "a/../b"
 *     /a%2Fb/../c  nginx: /a/c  an upstream: /c
 *     /a//../b     nginx: /b    an upstream: /a/b, by RFC 3986 5.2.4
 */

static ngx_int_t
ngx_http_pct_normalize_target(ngx_http_request_t *r, ngx_http_pct_srv_conf_t *pscf)
{
    size_t       cap, rest;
    u_char      *decoded;
    ngx_int_t    rc;
    ngx_str_t    path, target;
    pct_result   normal, result;
    pct_status   status;

    if (pscf->normalize == NGX_HTTP_PCT_PATH_OFF) {
        return NGX_DECLINED;
    }

    rc = ngx_http_pct_path(r, &path);
    if (rc != NGX_OK) {
        return rc;
    }

    rest = r->unparsed_uri.len - path.len;

    /* "http://host?x" has an empty path, which means "/" (RFC 9112 3.2.2). */

    if (path.len == 0) {
        ngx_str_set(&path, "/");
    }

    cap = pct_encode_bound(path.len);
    decoded = ngx_pnalloc(r->pool, path.len + cap + rest);
    if (decoded == NULL) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    target.data = decoded + path.len;

    if (pct_decode_check(&pscf->path_decoder, (char *) path.data, path.len, &result) != PCT_OK) {
        return ngx_http_pct_bad_target(r, "a rejected escape", result.first_error);
    }

    status = pct_normalize_path((char *) path.data, path.len, (char *) target.data, cap, pscf->path_flags, &normal);
    if (status == PCT_BAD_PATH || status == PCT_NOT_HEX) {
        return ngx_http_pct_bad_target(r, "a malformed escape, or a character that paths do not allow,", normal.first_error);
    }

    if (status != PCT_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    /* A raw character that paths do not allow has become an escape. So check "reject=" again, on the normal path. */

    status = pct_decode(&pscf->path_decoder, (char *) target.data, normal.written, (char *) decoded, path.len, &result);
    if (status == PCT_REJECTED) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "percent-encoding: the normal form of the target has a rejected escape");
        return NGX_HTTP_BAD_REQUEST;
    }

    if (status != PCT_OK) {
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    }

    if (!ngx_http_pct_is_uri(r, decoded, result.written)) {
        ngx_log_error(NGX_LOG_ERR, r->connection->log, 0,
                      "percent-encoding: the dot segments of the target can be read in two ways");
        return NGX_HTTP_BAD_REQUEST;
    }

    ngx_memcpy(target.data + normal.written, r->unparsed_uri.data + r->unparsed_uri.len - rest, rest);
    target.len = normal.written + rest;

    r->unparsed_uri = target;
    r->valid_unparsed_uri = 1;

    /* nginx's parser also sets this flag. It makes nginx escape $uri whenever nginx writes $uri into a target or a query. */

    if (result.changed) {
        r->quoted_uri = 1;
    }

    return NGX_DECLINED;
}


/*
 * Checks and normalizes the path of a request once, before any rewrite, and before the location is chosen.
 *
 * If nginx itself refuses a request while it reads the headers, it runs no handler of this early phase. But an "error_page"
 * with a named location still passes the target to an upstream. So this handler also runs in the rewrite phase of locations,
 * and does the work there if it is not done yet. An "error_page" with a path gives the request another target, which is not
 * the client's.
 */

static ngx_int_t
ngx_http_pct_path_handler(ngx_http_request_t *r)
{
    ngx_int_t                   rc;
    ngx_http_pct_srv_conf_t    *pscf;
    ngx_http_variable_value_t  *failure = &r->variables[ngx_http_pct_failure_index];

    /* Until the path is checked, `data` is NULL. Reading $pct_failure doesn't change `data`. */

    if (r != r->main || failure->data != NULL || (r->internal && !r->valid_unparsed_uri)) {
        return NGX_DECLINED;
    }

    failure->data = (u_char *) "";

    pscf = ngx_http_get_module_srv_conf(r, ngx_http_percent_simd_module);

    rc = ngx_http_pct_check(r, pscf);
    if (rc == NGX_DECLINED) {
        rc = ngx_http_pct_normalize_target(r, pscf);
    }

    if (rc != NGX_DECLINED) {
        ngx_http_pct_fail(r, rc == NGX_HTTP_BAD_REQUEST ? "400" : "500");
    }

    return rc;
}


/* Returns the status that must replace `status`, or NGX_DECLINED to keep it. After a failure, every response must be an error. */

static ngx_int_t
ngx_http_pct_verdict(ngx_http_request_t *r, ngx_uint_t status)
{
    ngx_http_variable_value_t  *failure = &r->variables[ngx_http_pct_failure_index];

    if (!failure->valid || status >= NGX_HTTP_BAD_REQUEST) {
        return NGX_DECLINED;
    }

    return ngx_atoi(failure->data, failure->len);
}


/*
 * Runs after access rules and limits, and before the content.
 *
 * The status of an error page is already an error, so a static error page may follow a failure. But
 * "error_page 403 @app" passes the target to any content handler, and keeps the status. So after a failure, nginx may
 * serve an error page only if no directive has set a content handler for its location (the page is a static file), and
 * the method is GET or HEAD. Otherwise we send nginx's own page for the status.
 */

static ngx_int_t
ngx_http_pct_failure_handler(ngx_http_request_t *r)
{
    ngx_int_t  rc = ngx_http_pct_verdict(r, r->err_status);

    if (rc == NGX_DECLINED && r->variables[ngx_http_pct_failure_index].valid
        && (r->content_handler != NULL || !(r->method & (NGX_HTTP_GET|NGX_HTTP_HEAD))))
    {
        return r->err_status;
    }

    return rc;
}


/*
 * Replaces the response headers after a failure. A subrequest sends no headers, so the main request answers for it. But a
 * subrequest of SSI starts after the headers of the main request. Then the status ends the subrequest, and nginx inserts
 * the page of the status into the main response.
 */

static ngx_int_t
ngx_http_pct_header_filter(ngx_http_request_t *r)
{
    ngx_int_t  rc = ngx_http_pct_verdict(r, r->headers_out.status);

    if (rc != NGX_DECLINED && r == r->main) {
        return ngx_http_filter_finalize_request(r, &ngx_http_percent_simd_module, rc);
    }

    if (rc != NGX_DECLINED && r->main->header_sent) {
        return rc;
    }

    return ngx_http_next_header_filter(r);
}


static ngx_int_t
ngx_http_pct_no_failure(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    v->not_found = 1;
    return NGX_OK;
}


static ngx_int_t
ngx_http_pct_add_failure(ngx_conf_t *cf)
{
    ngx_http_variable_t  *variable;

    static ngx_str_t  name = ngx_string("pct_failure");

    variable = ngx_http_add_variable(cf, &name, 0);
    if (variable == NULL) {
        return NGX_ERROR;
    }

    variable->get_handler = ngx_http_pct_no_failure;
    ngx_http_pct_failure_index = ngx_http_get_variable_index(cf, &name);

    return ngx_http_pct_failure_index == NGX_ERROR ? NGX_ERROR : NGX_OK;
}


static void *
ngx_http_pct_create_srv_conf(ngx_conf_t *cf)
{
    ngx_http_pct_srv_conf_t  *conf = ngx_pcalloc(cf->pool, sizeof(ngx_http_pct_srv_conf_t));

    if (conf != NULL) {
        conf->enable = NGX_CONF_UNSET;
        conf->normalize = NGX_CONF_UNSET_UINT;
    }

    return conf;
}


static char *
ngx_http_pct_merge_srv_conf(ngx_conf_t *cf, void *parent, void *child)
{
    ngx_http_pct_srv_conf_t  *prev = parent, *conf = child;

    if (conf->enable == NGX_CONF_UNSET) {
        conf->enable = prev->enable;
        conf->decoder = prev->decoder;
        ngx_conf_init_value(conf->enable, 0);
    }

    if (conf->normalize == NGX_CONF_UNSET_UINT) {
        conf->path_flags = prev->path_flags;
        conf->path_decoder = prev->path_decoder;
    }

    ngx_conf_merge_uint_value(conf->normalize, prev->normalize, NGX_HTTP_PCT_PATH_OFF);

    return NGX_CONF_OK;
}


static ngx_int_t
ngx_http_pct_init(ngx_conf_t *cf)
{
    ngx_uint_t                  i;
    ngx_http_handler_pt        *handler;
    ngx_http_core_main_conf_t  *cmcf = ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);

    /* In each phase, nginx runs the handlers in reverse order: the last registered handler runs first. */

    static const struct {
        ngx_uint_t           phase;
        ngx_http_handler_pt  handler;
    } handlers[] = {
        { NGX_HTTP_POST_READ_PHASE, ngx_http_pct_path_handler },
        { NGX_HTTP_REWRITE_PHASE, ngx_http_pct_path_handler },
        { NGX_HTTP_PRECONTENT_PHASE, ngx_http_pct_failure_handler },
    };

    for (i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++) {
        handler = ngx_array_push(&cmcf->phases[handlers[i].phase].handlers);
        if (handler == NULL) {
            return NGX_ERROR;
        }

        *handler = handlers[i].handler;
    }

    ngx_http_next_header_filter = ngx_http_top_header_filter;
    ngx_http_top_header_filter = ngx_http_pct_header_filter;

    return NGX_OK;
}
