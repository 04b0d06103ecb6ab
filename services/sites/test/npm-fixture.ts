import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { temporaryDirectory } from '@hearth/testing'

type Values = Readonly<Record<string, unknown>>

/** Rows of a database of Nginx Proxy Manager; what a row leaves out is as its forms leave it. */
export interface NpmFixture {
  readonly proxy_host?: readonly Values[]
  readonly redirection_host?: readonly Values[]
  readonly dead_host?: readonly Values[]
  readonly stream?: readonly Values[]
  readonly access_list?: readonly Values[]
  readonly access_list_auth?: readonly Values[]
  readonly access_list_client?: readonly Values[]
  readonly certificate?: readonly Values[]
}

const always =
  "id integer primary key, created_on datetime, modified_on datetime, owner_user_id integer default 1, is_deleted integer not null default 0, meta json default '{}'"
const host = `${always}, domain_names json not null, certificate_id integer default 0, ssl_forced integer default 0, http2_support integer default 0, hsts_enabled integer default 0, hsts_subdomains integer default 0, enabled integer default 1, advanced_config text default ''`

/** Columns as the product's own migrations leave them; `recent` are those that came with versions 2.12 to 2.15. */
const tables = (isRecent: boolean): Readonly<Record<keyof NpmFixture, string>> => ({
  proxy_host: `${host}, forward_host varchar(255), forward_port integer, access_list_id integer default 0, caching_enabled integer default 0, block_exploits integer default 0, allow_websocket_upgrade integer default 0, forward_scheme varchar(255) default 'http', locations json${isRecent ? ', trust_forwarded_proto tinyint default 0' : ''}`,
  redirection_host: `${host}, forward_domain_name varchar(255), preserve_path integer default 0, block_exploits integer default 0, forward_scheme varchar(255) default '$scheme', forward_http_code integer default 302`,
  dead_host: host,
  stream: `${always}, incoming_port integer, forwarding_host varchar(255), forwarding_port integer, tcp_forwarding integer default 1, udp_forwarding integer default 0, enabled integer default 1${isRecent ? ', certificate_id integer default 0' : ''}`,
  access_list: `${always}, name varchar(255), satisfy_any integer default 0, pass_auth integer default 1`,
  access_list_auth: `${always}, access_list_id integer, username varchar(255), password varchar(255)`,
  access_list_client: `${always}, access_list_id integer, address varchar(255), directive varchar(255)`,
  certificate: `${always}, provider varchar(255), nice_name varchar(255) default '', domain_names json default '[]', expires_on datetime`,
})

/** Writes a `database.sqlite` and returns its bytes. */
export async function makeNpmDatabase(rows: NpmFixture, { isRecent = true, sql = '' } = {}): Promise<Uint8Array> {
  await using folder = await temporaryDirectory('npm')
  const path = join(folder.path, 'database.sqlite')
  const database = new DatabaseSync(path)
  for (const [table, columns] of Object.entries(tables(isRecent))) database.exec(`create table ${table} (${columns})`)
  for (const [table, values] of Object.entries(rows) as [string, readonly Values[]][])
    for (const row of values) {
      const names = Object.keys(row)
      const places = names.map(() => '?').join(', ')
      database
        .prepare(`insert into ${table} (${names.join(', ')}) values (${places})`)
        .run(...names.map((name) => plain(row[name])))
    }
  if (sql !== '') database.exec(sql)
  database.close()
  return await readFile(path)
}

const plain = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' ? value : JSON.stringify(value)
