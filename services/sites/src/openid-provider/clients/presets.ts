import type { OpenIdPreset } from '../schema.ts'

const usual: Pick<
  OpenIdPreset,
  'post_logout_paths' | 'backchannel_path' | 'pkce_required' | 'claims_in_id_token' | 'note'
> = {
  post_logout_paths: [],
  backchannel_path: null,
  pkce_required: true,
  claims_in_id_token: false,
  note: null,
}

/** Kinds of applications whose settings are known. */
export const presets: readonly OpenIdPreset[] = [
  {
    ...usual,
    id: 'grafana',
    label: 'Grafana',
    address_hint: 'https://grafana.example.org',
    redirect_paths: ['/login/generic_oauth'],
    post_logout_paths: ['/login'],
    note: 'Members of the group admins become administrators of Grafana.',
    where: 'Environment of Grafana',
    lines: `GF_SERVER_ROOT_URL={address}/
GF_AUTH_GENERIC_OAUTH_ENABLED=true
GF_AUTH_GENERIC_OAUTH_NAME=Hearth
GF_AUTH_GENERIC_OAUTH_CLIENT_ID={client_id}
GF_AUTH_GENERIC_OAUTH_CLIENT_SECRET={client_secret}
GF_AUTH_GENERIC_OAUTH_SCOPES=openid profile email groups
GF_AUTH_GENERIC_OAUTH_AUTH_URL={issuer}/oidc/auth
GF_AUTH_GENERIC_OAUTH_TOKEN_URL={issuer}/oidc/token
GF_AUTH_GENERIC_OAUTH_API_URL={issuer}/oidc/userinfo
GF_AUTH_GENERIC_OAUTH_USE_PKCE=true
GF_AUTH_GENERIC_OAUTH_USE_REFRESH_TOKEN=true
GF_AUTH_GENERIC_OAUTH_LOGIN_ATTRIBUTE_PATH=preferred_username
GF_AUTH_GENERIC_OAUTH_ROLE_ATTRIBUTE_PATH=contains(groups[*], 'admins') && 'Admin' || 'Viewer'`,
  },
  {
    ...usual,
    id: 'immich',
    label: 'Immich',
    address_hint: 'https://photos.example.org',
    redirect_paths: ['/auth/login', '/user-settings', '/api/oauth/mobile-redirect'],
    note: 'For the app on telephones, switch on the override of the mobile redirect URI.',
    where: 'Administration, Settings, Authentication, OAuth',
    lines: `Issuer URL: {issuer}/.well-known/openid-configuration
Client ID: {client_id}
Client secret: {client_secret}
Token endpoint auth method: client_secret_post
Scope: openid email profile
Signing algorithm: RS256
Mobile redirect URI override: {address}/api/oauth/mobile-redirect`,
  },
  {
    ...usual,
    id: 'nextcloud',
    label: 'Nextcloud',
    address_hint: 'https://cloud.example.org',
    redirect_paths: ['/apps/user_oidc/code'],
    post_logout_paths: ['/'],
    backchannel_path: '/apps/user_oidc/backchannel-logout/Hearth',
    note: 'Needs the app OpenID Connect user backend (user_oidc).',
    where: 'On the server of Nextcloud, in its folder',
    lines: `php occ user_oidc:provider Hearth \\
  --clientid={client_id} \\
  --clientsecret={client_secret} \\
  --discoveryuri={issuer}/.well-known/openid-configuration \\
  --scope="openid email profile groups" \\
  --unique-uid=0 --mapping-uid=preferred_username --mapping-groups=groups --group-provisioning=1`,
  },
  {
    ...usual,
    id: 'proxmox',
    label: 'Proxmox VE',
    address_hint: 'https://pve.example.org:8006',
    redirect_paths: [''],
    claims_in_id_token: true,
    note: 'New users have no rights in Proxmox until you give them some.',
    where: 'Shell of a node',
    lines: `pveum realm add home --type openid \\
  --issuer-url {issuer} \\
  --client-id {client_id} \\
  --client-key {client_secret} \\
  --username-claim preferred_username \\
  --autocreate 1`,
  },
  {
    ...usual,
    id: 'jellyfin',
    label: 'Jellyfin',
    address_hint: 'https://films.example.org',
    redirect_paths: ['/sso/OID/redirect/hearth', '/sso/OID/r/hearth'],
    claims_in_id_token: true,
    note: 'Needs the plug-in SSO Authentication.',
    where: 'Dashboard, Plugins, SSO Authentication',
    lines: `Name of the provider: hearth
OID Endpoint: {issuer}
OpenID Client ID: {client_id}
OID Secret: {client_secret}
Request Additional Scopes: groups
Role Claim: groups
Sign-in: {address}/sso/OID/start/hearth`,
  },
  {
    ...usual,
    id: 'paperless',
    label: 'Paperless-ngx',
    address_hint: 'https://documents.example.org',
    redirect_paths: ['/accounts/oidc/hearth/login/callback/'],
    where: 'Environment of Paperless-ngx',
    lines: `PAPERLESS_APPS=allauth.socialaccount.providers.openid_connect
PAPERLESS_SOCIALACCOUNT_PROVIDERS={"openid_connect":{"OAUTH_PKCE_ENABLED":true,"APPS":[{"provider_id":"hearth","name":"Hearth","client_id":"{client_id}","secret":"{client_secret}","settings":{"server_url":"{issuer}/.well-known/openid-configuration"}}]}}`,
  },
  {
    ...usual,
    id: 'portainer',
    label: 'Portainer',
    address_hint: 'https://portainer.example.org',
    redirect_paths: ['', '/'],
    pkce_required: false,
    note: 'Portainer does not speak PKCE, so it is not required here.',
    where: 'Settings, Authentication, OAuth, Custom',
    lines: `Client ID: {client_id}
Client secret: {client_secret}
Authorization URL: {issuer}/oidc/auth
Access token URL: {issuer}/oidc/token
Resource URL: {issuer}/oidc/userinfo
Redirect URL: {address}
Logout URL: {issuer}/oidc/session/end
User identifier: preferred_username
Scopes: openid profile email groups`,
  },
  {
    ...usual,
    id: 'gitea',
    label: 'Gitea, Forgejo',
    address_hint: 'https://git.example.org',
    redirect_paths: ['/user/oauth2/hearth/callback'],
    pkce_required: false,
    claims_in_id_token: true,
    note: 'Gitea and Forgejo do not speak PKCE towards a provider, so it is not required here.',
    where: 'Server of Gitea or Forgejo; the command is forgejo there',
    lines: `gitea admin auth add-oauth \\
  --name hearth \\
  --provider openidConnect \\
  --key {client_id} \\
  --secret {client_secret} \\
  --auto-discover-url {issuer}/.well-known/openid-configuration \\
  --scopes profile --scopes email --scopes groups \\
  --group-claim-name groups`,
  },
  {
    ...usual,
    id: 'other',
    label: 'Another application',
    address_hint: 'https://app.example.org',
    redirect_paths: ['/callback'],
    claims_in_id_token: true,
    where: 'Settings of the application',
    lines: `Issuer: {issuer}
Discovery: {issuer}/.well-known/openid-configuration
Client ID: {client_id}
Client secret: {client_secret}
Scopes: openid profile email groups
PKCE: S256`,
  },
]
