/** What tests render pages with: the specification’s catalogue, at an origin that stands nowhere else. */
import type { Shown } from '@ingot/contracts/pages'
import { specifiedGpus, specifiedRegions } from '@ingot/contracts/test-catalog'
import type { Links } from './page.ts'

export const shown: Shown = {
  origin: 'https://gpu.example',
  gpus: specifiedGpus,
  formerGpus: [],
  modelHost: null,
  regions: specifiedRegions,
  told: { maintenance: null, items: [] },
  file: {},
}
export const links: Links = {
  css: ['/site.css'],
  scripts: ['/main.js'],
  fonts: ['/sans.woff2'],
  search: '/search.json',
}
