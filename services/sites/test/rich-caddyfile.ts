import type { RealCaddy } from './real-caddy.ts'

/** Bcrypt of `secret-of-bob`. */
const bcryptHash = '$2b$04$O90e9R1mMGVPcJJFOlHWH.wbyILuvirk7xJ9/LFuFQRJ5e3E6hV7W'

/** A Caddyfile with about everything that can be imported, for this Caddy. `basicAuth` is how its version calls the directive. */
export const richCaddyfile = (
  caddy: Pick<RealCaddy, 'adminListen' | 'httpPort' | 'httpsPort' | 'directory'>,
  { upstream, basicAuth }: { readonly upstream: string; readonly basicAuth: string },
) => `
{
	admin ${caddy.adminListen}
	http_port ${caddy.httpPort}
	https_port ${caddy.httpsPort}
	local_certs
	skip_install_trust
	email admin@example.org
}
(hardened) {
	header {
		X-Frame-Options DENY
		-Server
		?Cache-Control no-cache
		+X-More one
	}
}
app.test, www.app.test {
	import hardened
	encode zstd gzip
	redir /old /new 301
	redir /away/* https://away.test{uri}
	@bad remote_ip 192.0.2.0/24
	respond @bad 403
	reverse_proxy ${upstream} {
		header_up X-Up {method}
		header_down -X-Inner
		health_uri /health
		fail_duration 5s
		lb_try_duration 1s
	}
}
files.test {
	root * ${caddy.directory}/www
	encode gzip
	try_files {path} {path}/ /index.html
	file_server
}
plain-files.test {
	header /page.txt Cache-Control max-age=60
	header /sub/* X-Sub yes
	root * ${caddy.directory}/www
	file_server browse
}
paths.test {
	header Strict-Transport-Security "max-age=600; includeSubDomains"
	handle_path /api/* {
		reverse_proxy ${upstream}
	}
	handle /fixed {
		header X-Fixed yes
		respond "fixed {http.request.uri.path}" 418
	}
	handle /static/* {
		uri strip_prefix /static
		root * ${caddy.directory}/www
		file_server
	}
	handle {
		reverse_proxy ${upstream} {
			header_up X-Rest yes
			header_up -X-Secret
		}
	}
}
private.test {
	${basicAuth} {
		bob ${bcryptHash}
	}
	respond "in"
}
asked.test {
	forward_auth ${upstream} {
		uri /may
		copy_headers Remote-User
	}
	reverse_proxy ${upstream}
}
moved.test {
	redir https://app.test{uri} permanent
}
http://only-plain.test {
	respond "plain" 200
}
*.wild.test {
	@one host one.wild.test
	handle @one {
		respond "one"
	}
	handle {
		respond "any" 404
	}
}
hello.test {
	respond \`{"hello": true}\`
}
tricky.test {
	rewrite /a /b
	respond "not possible"
}
`
