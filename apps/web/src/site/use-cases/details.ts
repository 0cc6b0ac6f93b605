/** The three use cases that have a page: the problem, what fits where, a working example, its price, its limits. */
import { formatUsd, parseUsd } from '@ingot/contracts/money'
import type { Shown } from '@ingot/contracts/pages'
import { formatMoney } from '../../ui/format.ts'
import { gpuNamed } from '../cost-of.ts'

export type Rows = readonly (readonly string[])[]

interface Sheet {
  readonly title: string
  readonly heads: readonly string[]
  readonly rows: Rows | ((shown: Shown) => Rows)
  readonly note: string
}

export interface UseCaseDetail {
  /** As on the list, which says what to start with. */
  readonly title: string
  readonly heading: string
  readonly lead: string
  /** An ordinary run; the page says what it costs. */
  readonly run: { readonly text: string; readonly gpu: string; readonly hours: bigint }
  readonly problem: readonly string[]
  readonly sheet: Sheet
  readonly example: { readonly label: string; readonly code: string; readonly lead: string }
  readonly limits: readonly string[]
}

const simulated =
  'In a region marked simulated there is no real card, and no instance has what its template names: these examples run there only where the host has PyTorch or vLLM, and then on the processor.'

/** What a million pictures cost at so many a second, to the cent. */
const perMillion = (shown: Shown, gpu: string, perSecond: bigint): string =>
  formatMoney(formatUsd((parseUsd(gpuNamed(shown, gpu).hourly_price) * 1_000_000n) / (perSecond * 3600n)))

const weightsGb = 15.2
const cacheGbPerReader = (57_344 * 8192) / 1e9

/** What a card has left beside the weights, and how many full caches that holds. A tenth of it is kept free. */
function readers(shown: Shown, card: string): string[] {
  const { memory_gb } = gpuNamed(shown, card)
  const left = memory_gb * 0.9 - weightsGb
  return [card, `${memory_gb} GB`, `${left.toFixed(1)} GB`, `${Math.floor(left / cacheGbPerReader)}`]
}

const training = `import os, torch

path = "/workspace/checkpoint.pt"
device = "cuda" if torch.cuda.is_available() else "cpu"
model = torch.nn.Linear(1024, 1024).to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
step = 0

if os.path.exists(path):                      # go on where the last run stopped
    saved = torch.load(path, map_location=device)
    model.load_state_dict(saved["model"])
    optimizer.load_state_dict(saved["optimizer"])
    step = saved["step"]

while step < 1000:
    x = torch.randn(64, 1024, device=device)
    loss = (model(x) - x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    if step % 100 == 0:                       # written beside, then renamed: never half a file
        torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(),
                    "step": step}, path + ".new")
        os.replace(path + ".new", path)
        print(step, loss.item())`

const vision = `import time, torch, torchvision

device = "cuda" if torch.cuda.is_available() else "cpu"
model = torchvision.models.resnet50(weights=None).eval().to(device)
batch = torch.randn(64, 3, 224, 224, device=device)

with torch.inference_mode(), torch.autocast(device):
    model(batch)                              # the first call prepares, and is not counted
    start, seen = time.time(), 0
    while time.time() - start < 10:
        model(batch)
        if device == "cuda":
            torch.cuda.synchronize()
        seen += len(batch)
print(round(seen / (time.time() - start)), "images per second")`

const language = `vllm serve Qwen/Qwen2.5-7B-Instruct --max-model-len 8192 &

curl http://localhost:8000/v1/chat/completions \\
  -H "Content-Type: application/json" -d '{
    "model": "Qwen/Qwen2.5-7B-Instruct",
    "messages": [{ "role": "user", "content": "Label as spam or not: You won a boat" }],
    "max_tokens": 4 }'`

export const useCaseDetails: Readonly<Record<string, UseCaseDetail>> = {
  'ai-training': {
    title: 'AI Model Training',
    heading: 'AI model training',
    lead: 'Most runs end early, fail, or wait for their data. What decides the bill is how quickly you can stop, and go on from where you were.',
    run: { text: 'An evening of LoRA on one A100 80GB, four hours', gpu: 'A100 80GB', hours: 4n },
    problem: [
      'Choose the card by memory first. A run that does not fit does not start, and a run that fits on a smaller card is often cheaper there although it takes longer.',
      'Then make stopping cheap. Write a checkpoint every few minutes, below /workspace, where it survives a stop. An instance that is stopped overnight costs nothing, and the next start goes on from the file.',
    ],
    sheet: {
      title: 'Memory that a model needs, before activations',
      heads: [
        'Parameters',
        'Full, AdamW in mixed precision',
        'LoRA on 16-bit weights',
        'LoRA on 4-bit weights',
      ],
      rows: [
        ['1 billion', '16 GB', '2 GB', '0.5 GB'],
        ['7 billion', '112 GB', '14 GB', '3.5 GB'],
        ['13 billion', '208 GB', '26 GB', '6.5 GB'],
        ['70 billion', '1,120 GB', '140 GB', '35 GB'],
      ],
      note: 'Arithmetic, not measurement: 16 bytes a parameter for weights, gradients and two moments; 2 bytes and half a byte for frozen weights. Activations come on top and grow with batch and sequence length.',
    },
    example: {
      label: 'train.py, with the PyTorch 2.0 template',
      lead: 'A loop that can be stopped at any moment. Run it, stop the instance in the middle, start it again, and run the same command.',
      code: training,
    },
    limits: [
      'One instance is one machine: eight cards at most, and no network between instances for distributed training yet.',
      'The disk is deleted with the instance. Keep checkpoints and final weights on a network volume, which is not.',
      simulated,
    ],
  },
  'computer-vision': {
    title: 'Computer Vision',
    heading: 'Computer vision',
    lead: 'Vision models are small and their archives are large. Measure pictures per second on your own model, divide, and the price of the whole archive is known before you start.',
    run: { text: 'A day of labelling on one RTX 4090, eight hours', gpu: 'RTX 4090', hours: 8n },
    problem: [
      'A detector that fits in a few gigabytes rarely needs a card with 80. What limits it is decoding: if the processor cannot open pictures as fast as the card looks at them, a faster card changes nothing. Watch the load of the card first; below 60 percent, more workers help more than more money.',
      'For an archive, run the model once over everything and keep embeddings or boxes, not pictures. The second question is then answered without a GPU.',
    ],
    sheet: {
      title: 'What a million pictures cost, by the speed you measure',
      heads: ['Pictures per second', 'T4', 'RTX 3090', 'RTX 4090', 'A100 40GB'],
      rows: shown =>
        [200n, 500n, 1000n, 2000n].map(speed => [
          speed.toLocaleString('en-US'),
          ...(['T4', 'RTX 3090', 'RTX 4090', 'A100 40GB'] as const).map(gpu => perMillion(shown, gpu, speed)),
        ]),
      note: 'The hourly price of the catalogue, divided. The speed is yours to measure: the script below does it in ten seconds.',
    },
    example: {
      label: 'speed.py, with the PyTorch 2.0 template',
      lead: 'Ten seconds that tell which column and row are yours. Put your own model and picture size in its place.',
      code: vision,
    },
    limits: [
      'The script measures the model alone, with pictures that are already in memory. Reading and decoding comes on top.',
      'There is no object storage to read an archive from yet; it has to fit on the disk of the instance, 1.2 TB at most, or on a network volume of up to 5 TB.',
      simulated,
    ],
  },
  nlp: {
    title: 'NLP',
    heading: 'Natural language processing',
    lead: 'Serve an open language model behind an address of your own, or send a million rows through it overnight and turn it off.',
    run: { text: 'A night of labelling on one A40, six hours', gpu: 'A40', hours: 6n },
    problem: [
      'Weights are the fixed part: two bytes a parameter in 16 bits. The rest of the card is cache for the conversations that are open at once, and that is what decides how many people can be served. A card that just holds the weights serves one reader at a time.',
      'For bulk work the order is different: fill the card with as many rows as it takes, and ask for few tokens back. A label costs far less than an explanation.',
    ],
    sheet: {
      title: 'What fits, in 16 bits, beside 8,192 tokens of cache for each reader',
      heads: ['Card', 'Memory', 'Left after a 7B model', 'Readers at once'],
      rows: shown => (['L4', 'A40', 'A100 80GB'] as const).map(card => readers(shown, card)),
      note: 'For Qwen2.5-7B: 15.2 GB of weights; 28 layers, 4 key-value heads of 128, so 57,344 bytes a token and 0.47 GB a reader. A tenth of the card is left for everything else. Other models differ, most by their number of key-value heads.',
    },
    example: {
      label: 'On an instance with the vLLM Inference template',
      lead: 'The server speaks the OpenAI protocol, so existing clients work by changing their base address.',
      code: language,
    },
    limits: [
      'The first start downloads the weights, which takes minutes and needs a region whose instances reach the internet. They stay on the disk for the next start.',
      'The address above is inside the instance. Whether it can be reached from outside depends on the region; the instance page shows its address if there is one.',
      simulated,
    ],
  },
}
