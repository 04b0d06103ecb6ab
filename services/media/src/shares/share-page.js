// Runs in the page of a link: draws the wave of each sound, and lets one player sound at a time.

const shapes = 'http://www.w3.org/2000/svg'

/** Makes an SVG element with attributes. */
function shape(name, attributes) {
  const element = document.createElementNS(shapes, name)
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
  return element
}

/** Draws the peaks of a sound, and follows and moves its player. */
function draw(box, peaks, player) {
  const bars = peaks.map((peak, index) => {
    const height = Math.max(2, peak)
    return `M${index + 0.15} ${50 - height / 2}h.7v${height}h-.7z`
  })
  const path = bars.join('')
  const id = `played-${box.dataset.wave.replaceAll(/\W/g, '-')}`
  const rest = shape('path', { d: path, class: 'rest' })
  const played = shape('path', { d: path, class: 'played', 'clip-path': `url(#${id})` })
  const part = shape('rect', { x: 0, y: 0, width: 0, height: 100 })
  const clip = shape('clipPath', { id })
  clip.append(part)
  const picture = shape('svg', {
    viewBox: `0 0 ${peaks.length} 100`,
    preserveAspectRatio: 'none',
    'aria-hidden': 'true',
  })
  picture.append(clip, rest, played)
  box.append(picture)
  box.hidden = false
  const follow = () => part.setAttribute('width', String((player.currentTime / player.duration || 0) * peaks.length))
  player.addEventListener('timeupdate', follow)
  player.addEventListener('seeking', follow)
  box.addEventListener('click', (event) => seek(player, event.offsetX / box.clientWidth))
}

/** Plays from a part of the whole; a player that has not begun yet learns the length first. */
function seek(player, part) {
  const go = () => {
    player.currentTime = part * player.duration
  }
  if (Number.isFinite(player.duration)) go()
  else player.addEventListener('loadedmetadata', go, { once: true })
  player.play().catch(() => undefined)
}

/** Reads and draws the waves that come into view, one after the other: each may have to be computed. */
let last = Promise.resolve()
const seen = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue
    seen.unobserve(target)
    const box = target.querySelector('.wave')
    last = last.then(() => load(box, target.querySelector('audio'))).catch(() => undefined)
  }
})

async function load(box, player) {
  const response = await fetch(box.dataset.wave)
  if (!response.ok) return
  const { peaks } = await response.json()
  if (peaks.length > 0) draw(box, peaks, player)
}

for (const player of document.querySelectorAll('.player:has(.wave)')) seen.observe(player)

document.addEventListener(
  'play',
  ({ target }) => {
    for (const player of document.querySelectorAll('audio, video')) if (player !== target) player.pause()
  },
  true,
)
