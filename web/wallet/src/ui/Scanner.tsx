/** Reads a QR code with the camera, or from a picture if there is no camera or no permission. */
import decodeQR from 'qr/decode.js';
import { useEffect, useRef, useState } from 'react';
import { t } from '../text/text.ts';

const LARGEST = 720;

/** Undefined: the picture has no code. */
function decode(source: CanvasImageSource, width: number, height: number): string | undefined {
  const scale = Math.min(1, LARGEST / Math.max(width, height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const drawing = canvas.getContext('2d', { willReadFrequently: true });
  if (!drawing || canvas.width === 0) return undefined;
  drawing.drawImage(source, 0, 0, canvas.width, canvas.height);
  try {
    return decodeQR(drawing.getImageData(0, 0, canvas.width, canvas.height)) || undefined;
  } catch {
    return undefined;
  }
}

export default function Scanner({ onFound }: { readonly onFound: (text: string) => void }) {
  const video = useRef<HTMLVideoElement>(null);
  const [fault, setFault] = useState<string>();

  useEffect(() => {
    let stream: MediaStream | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const check = () => {
      const shown = video.current;
      const found = shown && shown.videoWidth > 0 ? decode(shown, shown.videoWidth, shown.videoHeight) : undefined;
      if (found !== undefined) onFound(found);
      else if (!isOver) timer = setTimeout(check, 120);
    };
    const open = async () => {
      try {
        stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: 'environment' } });
        if (isOver || !video.current) {
          for (const track of stream.getTracks()) track.stop();
          return;
        }
        video.current.srcObject = stream;
        await video.current.play();
        check();
      } catch {
        if (!isOver) setFault(t('scan.noCamera'));
      }
    };
    void open();
    return () => {
      isOver = true;
      clearTimeout(timer);
      for (const track of stream?.getTracks() ?? []) track.stop();
    };
  }, []);

  const readPicture = async (file: File | undefined) => {
    if (!file) return;
    const picture = await createImageBitmap(file).catch(() => undefined);
    const found = picture && decode(picture, picture.width, picture.height);
    if (found === undefined) setFault(t('scan.nothing'));
    else onFound(found);
  };

  return (
    <div className="scanner">
      {!fault && <video ref={video} muted playsInline aria-label={t('scan.camera')} />}
      {fault && (
        <p className="wrong" role="alert">
          {fault}
        </p>
      )}
      <label className="button soft">
        {t('scan.picture')}
        <input
          type="file"
          accept="image/*"
          className="unseen"
          onChange={(event) => void readPicture(event.currentTarget.files?.[0])}
        />
      </label>
    </div>
  );
}
