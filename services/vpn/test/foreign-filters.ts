import { DatabaseSync } from 'node:sqlite'
import { strToU8, zipSync } from 'fflate'
import { stringify } from 'yaml'
import { foreignFile, type ForeignFile } from './foreign-servers.ts'

const allEngines = {
  bing: true,
  duckduckgo: true,
  ecosia: true,
  google: true,
  pixabay: true,
  yandex: true,
  youtube: true,
}

/** A client in `AdGuardHome.yaml`, which follows the settings for all unless changes say otherwise. */
export function adGuardClient(name: string, ids: readonly string[], changes: object = {}): object {
  return {
    safe_search: { ...allEngines, enabled: false },
    blocked_services: { schedule: { time_zone: 'Local' }, ids: [] },
    name,
    ids,
    tags: [],
    upstreams: [],
    uid: '0190c7a5-0000-7000-8000-000000000000',
    upstreams_cache_size: 0,
    upstreams_cache_enabled: false,
    use_global_settings: true,
    filtering_enabled: false,
    parental_enabled: false,
    safebrowsing_enabled: false,
    use_global_blocked_services: true,
    ignore_querylog: false,
    ignore_statistics: false,
    ...changes,
  }
}

/** `AdGuardHome.yaml` as version 0.107 writes it, as far as it matters here. */
export function adGuardHome(changes: object = {}): ForeignFile {
  const text = stringify({
    http: { address: '0.0.0.0:80', session_ttl: '720h' },
    users: [{ name: 'admin', password: '$2a$10$not-for-anyone' }],
    dns: {
      bind_hosts: ['0.0.0.0'],
      port: 53,
      upstream_dns: [
        '# kept by hand',
        '9.9.9.9',
        'tls://1.1.1.1',
        'tls://dns.example',
        'quic://dns.example',
        '[/corp.example/lab.example/]10.0.0.53',
        '[/intern.example/]#',
      ],
    },
    filters: [
      { enabled: true, url: 'https://lists.example/ads.txt', name: 'Ads', id: 1 },
      { enabled: false, url: 'https://lists.example/more.txt', name: 'More', id: 2 },
      { enabled: true, url: '/opt/filters/own.txt', name: 'Own', id: 3 },
    ],
    whitelist_filters: [{ enabled: true, url: 'https://lists.example/ok.txt', name: 'Fine', id: 4 }],
    user_rules: [
      '! a comment',
      '||ads.example^',
      '@@||shop.example^$important',
      '||*.tracker.example^',
      'plain.example',
      '0.0.0.0 nowhere.example',
      '192.168.1.9 printer.home.example',
      '/banner[0-9]+/',
      '||x.example^$client=192.168.1.7',
    ],
    clients: { runtime_sources: {}, persistent: [adGuardClient('TV', ['192.168.1.7'])] },
    filtering: {
      blocked_services: { schedule: { time_zone: 'Local' }, ids: [] },
      safe_search: { ...allEngines, enabled: false },
      rewrites: [
        { domain: 'nas.home.example', answer: '192.168.1.5', enabled: true },
        { domain: '*.lab.home.example', answer: '192.168.1.6' },
        { domain: 'www.home.example', answer: 'nas.home.example' },
        { domain: 'off.home.example', answer: '192.168.1.7', enabled: false },
        { domain: 'keep.example', answer: 'AAAA' },
      ],
    },
    schema_version: 29,
    ...changes,
  })
  return foreignFile('AdGuardHome.yaml', text)
}

/** The archive of the teleporter of Pi-hole 6. */
export function teleporter(): ForeignFile {
  using database = new DatabaseSync(':memory:')
  database.exec(`
    create table "group" (id integer primary key, enabled integer, name text);
    create table adlist (id integer primary key, address text, enabled integer, comment text, type integer);
    create table domainlist (id integer primary key, type integer, domain text, enabled integer, comment text);
    create table client (id integer primary key, ip text);
    insert into adlist (address, enabled, comment, type) values
      ('https://lists.example/hosts', 1, 'Hosts', 0),
      ('https://lists.example/second', 1, '', 0),
      ('https://lists.example/good', 1, null, 1);
    insert into domainlist (type, domain, enabled) values
      (0, 'good.example', 1), (1, 'bad.example', 1), (3, '(\\.|^)worse\\.example$', 1), (3, '^ad[0-9]+', 1), (1, 'off.example', 0);
    insert into client (ip) values ('192.168.1.7');
  `)
  const toml = [
    '[dns]',
    '  # Upstream servers',
    '  upstreams = [ "127.0.0.1#5335", "2620:fe::fe", "resolver.example" ] ### CHANGED, default = []',
    '  hosts = [ "192.168.1.5 nas.home.example nas2.home.example" ]',
    '  cnameRecords = [ "www.home.example,nas.home.example,600" ]',
    '  revServers = [ "true,192.168.0.0/24,192.168.0.1#53,fritz.box", "false,10.0.0.0/8,10.0.0.1" ]',
  ].join('\n')
  const archive = zipSync({
    'etc/pihole/pihole.toml': strToU8(toml),
    'etc/pihole/gravity.db': new Uint8Array(database.serialize()),
    'etc/hosts': strToU8('127.0.0.1 localhost'),
  })
  return foreignFile('pi-hole_teleporter.zip', archive)
}

/** A `gravity.db` of Pi-hole 6 with groups: the phone is in Default, the console in Kids, the laptop in all, the tablet in Default and Kids, and nobody in Off and Empty. */
export function groupedGravity(): ForeignFile {
  using database = new DatabaseSync(':memory:')
  const [id, group] = ['integer primary key autoincrement', 'group_id integer not null']
  database.exec(`
    create table "group" (id ${id}, enabled boolean not null default 1, name text unique not null, description text);
    create table adlist (id ${id}, address text unique not null, enabled boolean not null default 1, comment text, number integer, type integer not null default 0);
    create table domainlist (id ${id}, type integer not null default 0, domain text not null, enabled boolean not null default 1, comment text);
    create table client (id ${id}, ip text not null unique, comment text);
    create table adlist_by_group (adlist_id integer not null, ${group}, primary key (adlist_id, group_id));
    create table domainlist_by_group (domainlist_id integer not null, ${group}, primary key (domainlist_id, group_id));
    create table client_by_group (client_id integer not null, ${group}, primary key (client_id, group_id));
    insert into "group" (id, enabled, name) values (0, 1, 'Default'), (1, 1, 'Kids'), (2, 1, 'Guests'), (3, 0, 'Off'), (4, 1, 'Empty');
    insert into adlist (id, address, comment) values
      (1, 'https://lists.example/all', 'For all'), (2, 'https://kids.example', 'Kids only'), (3, 'https://lists.example/guests', 'Guests');
    insert into adlist_by_group values (1, 0), (2, 1), (3, 2), (3, 3);
    insert into domainlist (id, type, domain) values
      (1, 1, 'everybody.example'), (2, 1, 'kids.example'), (3, 0, 'guests.example'), (4, 1, 'both.example'), (5, 1, 'nobody.example');
    insert into domainlist_by_group values (1, 0), (2, 1), (3, 2), (4, 0), (4, 1), (5, 4);
    insert into client (id, ip) values (1, '10.8.0.2'), (2, '10.8.0.3'), (3, '10.8.0.4'), (4, '10.8.0.5');
    insert into client_by_group values (1, 0), (2, 1), (2, 3), (3, 0), (3, 1), (3, 2), (4, 0), (4, 1);
  `)
  return foreignFile('gravity.db', new Uint8Array(database.serialize()))
}
