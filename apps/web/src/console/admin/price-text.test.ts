import { expect, it } from 'vitest'
import { priceText } from './price-text.ts'

it('a model becomes a name of the catalogue and a pattern that fits it alone, whatever is in it', () => {
  const text = priceText({ model: 'NVIDIA A100-SXM4-80GB MIG 1g.10gb', memory_gb: 10, cards: 7 })
  expect(text).toContain(
    "('A100-SXM4-80GB MIG 1g.10gb', array['^NVIDIA A100-SXM4-80GB MIG 1g\\.10gb$'], 10, VCPUS",
  )
  expect(priceText({ model: 'NVIDIA GeForce RTX 4090', memory_gb: 24, cards: 1 })).toContain(
    "set_gpu_price('RTX 4090'",
  )
  expect(priceText({ model: "x'; drop table host", memory_gb: 1, cards: 1 })).toContain(
    "('x''; drop table host', array['^x''; drop table host$']",
  )
})
