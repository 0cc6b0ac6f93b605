/**
 * What a user agent says about itself, in words that its user knows: for the list of sessions and for alerts about new
 * ones. `family` leaves versions out, so an update of the browser is not a new device.
 */

export interface Device {
  /** `Chrome 129`; the program's name for what is no browser. */
  readonly browser: string
  /** `Windows PC`. */
  readonly device: string
  readonly family: string
}

/** First match wins: each browser also names those that it imitates. The group is the version. */
const browsers: readonly (readonly [string, RegExp])[] = [
  ['Edge', /\b(?:Edg|EdgA|EdgiOS|Edge)\/(\d+)/],
  ['Opera', /\b(?:OPR|Opera|OPiOS|OPT)\/(\d+)/],
  ['Samsung Internet', /\bSamsungBrowser\/(\d+)/],
  ['Vivaldi', /\bVivaldi\/(\d+)/],
  ['Yandex Browser', /\bYaBrowser\/(\d+)/],
  ['DuckDuckGo', /\b(?:DuckDuckGo|Ddg)\/(\d+)/],
  ['Firefox', /\b(?:Firefox|FxiOS)\/(\d+)/],
  ['Chrome', /\b(?:HeadlessChrome|Chrome|CriOS|Chromium)\/(\d+)/],
  ['Safari', /\bVersion\/(\d+)[\d.]*(?: Mobile\/\w+)? Safari\//],
  ['Internet Explorer', /\b(?:MSIE |Trident\/.*rv:)(\d+)/],
  ['curl', /^curl\/(\d+)/],
  ['Python', /\b(?:python-requests|python-httpx|Python-urllib|aiohttp)\/(\d+)/i],
  ['Go', /^Go-http-client\/(\d+)/],
  ['Node.js', /^(?:node|undici|Node\.js)(?:\/(\d+))?/i],
]

const devices: readonly (readonly [string, RegExp])[] = [
  ['iPad', /\biPad\b/],
  ['iPhone', /\b(?:iPhone|iPod)\b/],
  ['Android phone', /\bAndroid\b.*\bMobile\b/],
  ['Android device', /\bAndroid\b/],
  ['Windows PC', /\bWindows\b/],
  ['Chromebook', /\bCrOS\b/],
  ['Mac', /\b(?:Macintosh|Mac OS X)\b/],
  ['Linux computer', /\b(?:Linux|X11)\b/],
]

export function describeDevice(userAgent: string | null | undefined): Device {
  const text = userAgent ?? ''
  const [name, version] = findBrowser(text)
  const device = devices.find(([, form]) => form.test(text))?.[0] ?? 'Unknown device'
  return { browser: version ? `${name} ${version}` : name, device, family: `${name} · ${device}` }
}

function findBrowser(text: string): readonly [name: string, version: string | undefined] {
  for (const [name, form] of browsers) {
    const match = form.exec(text)
    if (match) return [name, match[1]]
  }
  return ['Unknown browser', undefined]
}
