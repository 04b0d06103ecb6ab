import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually, freePort, temporaryDirectory } from '@hearth/testing'

const modules = '/usr/lib/apache2/modules'

/** Why there is no Apache with mod_auth_openidc on this machine, or undefined. */
export function apacheObstacle(): string | undefined {
  const file = ['/usr/sbin/apache2', join(modules, 'mod_auth_openidc.so')].find((path) => !existsSync(path))
  return file === undefined ? undefined : `${file} is not there: npm test installs libapache2-mod-auth-openidc as root`
}

/** An Apache on loopback whose pages members of the group `family` see, by mod_auth_openidc. */
export interface ApacheApplication extends AsyncDisposable {
  readonly origin: string
}

/** Where an Apache at a port returns to, after signing in and out, and hears of the end of sessions. */
export function apacheAddresses(port: number) {
  const origin = `http://localhost:${port}`
  return {
    redirect_uris: [`${origin}/callback`],
    post_logout_redirect_uris: [`${origin}/bye.html`],
    backchannel_logout_uri: `${origin}/callback?logout=backchannel`,
  }
}

/** A port for an Apache. */
export const apachePort = freePort

/** Starts an Apache that signs people in at an issuer, whatever its certificate. */
export async function startApache(
  port: number,
  { issuer, id, secret }: { readonly issuer: string; readonly id: string; readonly secret: string },
): Promise<ApacheApplication> {
  const folder = await temporaryDirectory('apache')
  await chmod(folder.path, 0o755)
  const pages = join(folder.path, 'pages')
  await mkdir(pages)
  await writeFile(join(pages, 'index.html'), '<title>Inside</title><p>Inside the application</p>')
  await writeFile(join(pages, 'bye.html'), '<title>Bye</title><p>Signed out of the application</p>')
  const names = ['mpm_event', 'authn_core', 'authz_core', 'authz_user', 'auth_openidc', 'headers', 'mime']
  const configuration = `
${names.map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`).join('\n')}
ServerName localhost
Listen 127.0.0.1:${port}
User www-data
Group www-data
PidFile ${folder.path}/pid
DefaultRuntimeDir ${folder.path}
ErrorLog ${folder.path}/error.log
TypesConfig /dev/null
AddType text/html .html
DocumentRoot ${pages}
OIDCProviderMetadataURL ${issuer}/.well-known/openid-configuration
OIDCSSLValidateServer Off
OIDCClientID ${id}
OIDCClientSecret ${secret}
OIDCRedirectURI ${apacheAddresses(port).redirect_uris[0] ?? ''}
OIDCCryptoPassphrase only-for-this-test
OIDCPKCEMethod S256
OIDCScope "openid profile email groups"
OIDCRemoteUserClaim preferred_username
<Location />
  AuthType openid-connect
  Require claim groups:family
  Header set X-Signed-In "expr=%{REMOTE_USER}"
  Header set Cache-Control no-store
</Location>
<Location /bye.html>
  AuthType None
  Require all granted
</Location>
`
  const file = join(folder.path, 'apache.conf')
  await writeFile(file, configuration)
  const child = spawn('/usr/sbin/apache2', ['-f', file, '-DFOREGROUND'], { stdio: ['ignore', 'inherit', 'inherit'] })
  const origin = `http://localhost:${port}`
  const answers = () =>
    fetch(`${origin}/bye.html`).then(
      ({ status }) => status,
      () => 0,
    )
  await eventually(answers, (status) => status === 200, { what: 'Apache answers' })
  return {
    origin,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await folder[Symbol.asyncDispose]()
    },
  }
}
