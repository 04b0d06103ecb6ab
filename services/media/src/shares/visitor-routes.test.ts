import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wantsFile } from './visitor-routes.ts'

const page = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const asks = (userAgent: string, accept = '*/*', isDownload = false) => wantsFile({ isDownload, accept, userAgent })

test('scripts get the file immediately', () => {
  for (const name of [
    'curl/8.5.0',
    'Wget/1.21.4',
    'python-requests/2.32.3',
    'Python-urllib/3.11',
    'python-httpx/0.27.0',
    'Python/3.12 aiohttp/3.9.5',
    'aria2/1.37.0',
    'Go-http-client/2.0',
    'node',
    'undici',
    'axios/1.7.2',
    'HTTPie/3.2.2',
    'okhttp/4.12.0',
    'Java/21',
    'VLC/3.0.20 LibVLC/3.0.20',
    '',
  ])
    assert.equal(asks(name), true, name)
  assert.equal(asks('curl/8.5.0', ''), true)
})

test('browsers that follow a link get the page; its button and player get the file', () => {
  const browser = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0'
  assert.equal(asks(browser, page), false)
  assert.equal(asks(browser, page, true), true)
  assert.equal(asks('AppleCoreMedia/1.0.0.21G93 (iPhone; U; CPU OS 17_6 like Mac OS X)', '*/*', true), true)
})

test('link preview bots get the page, whatever they accept', () => {
  for (const name of [
    'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
    'TelegramBot (like TwitterBot)',
    'WhatsApp/2.24.15.78 A',
    'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
    'Twitterbot/1.0',
    'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)',
    'Synapse (bot; +https://github.com/matrix-org/synapse)',
    'http.rb/5.1.1 (Mastodon/4.2.10; +https://social.example/) Bot',
    'SkypeUriPreview Preview/0.5',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
    'Mattermost-Bot/1.1',
    'Iframely/1.3.1 (+https://iframely.com/docs/about)',
  ])
    assert.equal(asks(name), false, name)
})
