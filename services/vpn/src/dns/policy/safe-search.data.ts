/**
 * Names of search engines and of YouTube, each with the name under which the same servers answer with their filter on.
 *
 * Sources, read on 27 November 2026: Google (support.google.com/websearch/answer/186669, google.com/supported_domains), Microsoft
 * (Bing: strict.bing.com), DuckDuckGo (duckduckgo.com/duckduckgo-help-pages/features/safe-search), Ecosia, Brave and Pixabay by their
 * help pages, YouTube (support.google.com/a/answer/6214622).
 */

/** Endings of `www.google.`. */
const googleEndings =
  'ad ae al am as at az ba be bf bg bi bj bs bt by ca cat cd cf cg ch ci cl cm cn co co.ao co.bw co.ck co.cr co.id co.il co.in co.jp ' +
  'co.ke co.kr co.ls co.ma co.mz co.nz co.th co.tz co.ug co.uk co.uz co.ve co.vi co.za co.zm co.zw com com.af com.ag com.ai com.ar ' +
  'com.au com.bd com.bh com.bn com.bo com.br com.bz com.co com.cu com.cy com.do com.ec com.eg com.et com.fj com.gh com.gi com.gt ' +
  'com.hk com.jm com.kh com.kw com.lb com.ly com.mm com.mt com.mx com.my com.na com.nf com.ng com.ni com.np com.om com.pa com.pe ' +
  'com.pg com.ph com.pk com.pr com.py com.qa com.sa com.sb com.sg com.sl com.sv com.tj com.tr com.tw com.ua com.uy com.vc com.vn cv ' +
  'cz de dj dk dm dz ee es fi fm fr ga ge gg gl gm gp gr gy hn hr ht hu ie im iq is it je jo kg ki kz la li lk lt lu lv md me mg mk ' +
  'ml mn ms mu mv mw ne nl no nr nu pl pn ps pt ro rs ru rw sc se sh si sk sm sn so sr st td tg tk tl tm tn to tt vg vu ws'

const youtubeNames = [
  'www.youtube.com',
  'm.youtube.com',
  'youtubei.googleapis.com',
  'youtube.googleapis.com',
  'www.youtube-nocookie.com',
]

/** A name under which the filter is on, and the names that lead to it instead of to their own addresses. */
export interface SafeName {
  readonly target: string
  readonly names: readonly string[]
}

/** Search engines. */
export const safeSearchNames: readonly SafeName[] = [
  { target: 'forcesafesearch.google.com', names: googleEndings.split(' ').map((ending) => `www.google.${ending}`) },
  { target: 'strict.bing.com', names: ['www.bing.com', 'edgeservices.bing.com'] },
  { target: 'safe.duckduckgo.com', names: ['duckduckgo.com', 'start.duckduckgo.com', 'www.duckduckgo.com'] },
  { target: 'strict-safe-search.ecosia.org', names: ['www.ecosia.org'] },
  { target: 'forcesafe.search.brave.com', names: ['search.brave.com'] },
  { target: 'safesearch.pixabay.com', names: ['pixabay.com'] },
]

/** YouTube with restricted mode, moderate and strict. */
export const moderateYoutube: SafeName = { target: 'restrictmoderate.youtube.com', names: youtubeNames }
export const strictYoutube: SafeName = { target: 'restrict.youtube.com', names: youtubeNames }
