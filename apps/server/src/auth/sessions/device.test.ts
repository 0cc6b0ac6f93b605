import { expect, test } from 'vitest'
import { describeDevice } from './device.ts'

const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'

test.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/129.0.0.0 Safari/537.36`,
    'Chrome 129',
    'Windows PC',
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webkit} Chrome/129.0.0.0 Safari/537.36 Edg/129.0.2792.52`,
    'Edge 129',
    'Windows PC',
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webkit} Chrome/128.0.0.0 Safari/537.36 OPR/114.0.0.0`,
    'Opera 114',
    'Linux computer',
  ],
  ['Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0', 'Firefox 130', 'Linux computer'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari 18',
    'Mac',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    'Safari 18',
    'iPhone',
  ],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/129.0.6668.46 Mobile/15E148 Safari/604.1',
    'Chrome 129',
    'iPhone',
  ],
  [
    'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/130.0 Mobile/15E148 Safari/605.1.15',
    'Firefox 130',
    'iPad',
  ],
  [
    `Mozilla/5.0 (Linux; Android 14; SM-S918B) ${webkit} SamsungBrowser/26.0 Chrome/122.0.0.0 Mobile Safari/537.36`,
    'Samsung Internet 26',
    'Android phone',
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-X700) ${webkit} Chrome/129.0.0.0 Safari/537.36`,
    'Chrome 129',
    'Android device',
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${webkit} Chrome/129.0.0.0 Safari/537.36`,
    'Chrome 129',
    'Chromebook',
  ],
  [
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
    'Internet Explorer 11',
    'Windows PC',
  ],
  ['curl/8.10.1', 'curl 8', 'Unknown device'],
  ['python-requests/2.32.3', 'Python 2', 'Unknown device'],
  ['node', 'Node.js', 'Unknown device'],
  ['Something/1.0', 'Unknown browser', 'Unknown device'],
  ['', 'Unknown browser', 'Unknown device'],
  [null, 'Unknown browser', 'Unknown device'],
])('%s', (userAgent, browser, device) => {
  expect(describeDevice(userAgent)).toMatchObject({ browser, device })
})

test('an update of the browser is the same device, another system is not', () => {
  const on = (system: string, version: number) =>
    describeDevice(`Mozilla/5.0 (${system}) ${webkit} Chrome/${version}.0.0.0 Safari/537.36`).family
  expect(on('Windows NT 10.0; Win64; x64', 128)).toBe(on('Windows NT 10.0; Win64; x64', 131))
  expect(on('Windows NT 10.0; Win64; x64', 128)).not.toBe(on('X11; Linux x86_64', 128))
})
